// Decides whether a verb that needs only a cluster also reads the installation.
import { kubeconfigOf } from '../cluster/open.ts';
import type { Call } from '../definition.ts';
import { Failure, UsageFailure } from '../failure.ts';
import { type OpenInstallation, withInstallation } from './open.ts';
import { isInstallationNamed, readsInstallation } from './target.ts';

/**
 * `why`: reason why a known installation is not read. Throws if neither an installation nor a cluster is named.
 */
export async function chooseInstallation(
  call: Call,
  read: (open: OpenInstallation) => Promise<unknown>,
): Promise<{ readonly isRead: boolean; readonly why?: string }> {
  const hasCluster = kubeconfigOf(call) !== undefined;
  if (!readsInstallation(call, { hasCluster })) {
    if (hasCluster) return { isRead: false };
    throw new UsageFailure(
      'neither a cluster nor an installation is given',
      'specify --kubeconfig FILE or --table NAME',
    );
  }
  const why = isInstallationNamed(call) || !hasCluster ? undefined : await whyUnreachable(call, read);
  return why === undefined ? { isRead: true } : { isRead: false, why };
}

/** A remembered installation that cannot be read must not prevent reading the cluster. */
async function whyUnreachable(
  call: Call,
  read: (open: OpenInstallation) => Promise<unknown>,
): Promise<string | undefined> {
  try {
    await withInstallation(call, read);
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error.message;
    throw error;
  }
}
