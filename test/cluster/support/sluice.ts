// Sluice beside a control plane, as `npm start -- --kubeconfig` runs it, after the first heartbeat of its watcher.
import { afterEach } from 'vitest';
import { build } from '../../../lib/local/build.ts';
import { type Started, type StartOptions, start } from '../../../lib/local/start.ts';
import { readHeartbeat } from '../../../lib/state/liveness.ts';
import type { ControlPlane } from './controlPlane.ts';
import { waitFor } from './waitFor.ts';

export async function startSluice(
  { kubeconfig }: Pick<ControlPlane, 'kubeconfig'>,
  options: Partial<StartOptions> & Pick<StartOptions, 'modes'>,
): Promise<Started> {
  const sluice = await start({ build: await build(), cluster: { kubeconfig }, onProgress: () => {}, ...options });
  await waitFor(async () => readHeartbeat(await sluice.installation.state()), 60_000);
  return sluice;
}

/** A miss is explained by what the functions said; without it only the time-out of a wait is seen. */
export function explainFailures(sluice: () => Started | undefined): void {
  afterEach(({ task }) => {
    const logs = sluice()?.logs;
    if (task.result?.state === 'fail')
      console.error(`${logs?.errors()} errors in ${logs?.path}, last: ${logs?.lastError()}`);
  });
}
