// Refuses a deployment that removes a cluster, queue, table or EKS access entry, unless allowed by name on the command line.
import type { DeployedTemplate } from '../lib/config/deployedTemplate.ts';
import { type Removal, removalsBetween } from '../lib/config/removals.ts';

export interface RemovalCheck {
  readonly stackName: string;
  /** The new template. */
  readonly template: unknown;
  readonly deployed: DeployedTemplate | { readonly kind: 'NoCredentials' };
  /** `-c allowRemoval=NAME[,NAME]` */
  readonly allowed: string;
  readonly say: (text: string) => void;
  /** Whether `sluice install` or `upgrade` runs this, which have an option of their own. */
  readonly isInstalling?: boolean;
}

/** Allows a deployment when the deployed template cannot be read; cannot be a cluster name, which has no capitals. */
const unchecked = 'UNCHECKED';

const kinds: Readonly<Record<Removal['kind'], string>> = {
  Cluster: 'cluster',
  Queue: 'queue',
  Table: 'table',
  AccessEntry: 'access entry',
};

/** Why the deployed stack cannot be read with these credentials; `account`: theirs, `expected`: `stack.account`. */
export function otherAccount(account: string, expected: string | undefined): string | undefined {
  if (expected === undefined || expected === account) return undefined;
  return `the credentials are of account ${account}, and stack.account is ${expected}`;
}

/** Throws if something would be removed without permission, or if that cannot be checked although there are credentials. */
export function checkRemovals({ stackName, template, deployed, allowed, say, isInstalling }: RemovalCheck): void {
  const option = isInstalling ? '--allow-removal ' : '-c allowRemoval=';
  const names = allowed.split(',').map((name) => name.trim());
  switch (deployed.kind) {
    case 'NotDeployed':
      sayIdle(idleOf(names, []), { where: `stack ${stackName} is not deployed, so nothing`, option, say });
      return;
    case 'NoCredentials':
      say(
        'no AWS credentials: it was not checked whether the deployed stack has clusters, queues, tables or access entries that this one removes',
      );
      return;
    case 'Refused':
      if (names.includes(unchecked)) return;
      throw new Error(
        `the deployed stack ${stackName} cannot be read (${deployed.why}), so it is not known what this deployment removes: use credentials that allow cloudformation:GetTemplate, or pass ${option}${unchecked}`,
      );
    case 'Deployed':
      checkNames(removalsBetween(deployed.template, template, stackName), { names, stackName, option, say });
      return;
    default:
      deployed satisfies never;
  }
}

function checkNames(
  removals: readonly Removal[],
  by: Pick<RemovalCheck, 'stackName' | 'say'> & { readonly names: readonly string[]; readonly option: string },
): void {
  const { names, stackName, option, say } = by;
  const idle = idleOf(names, removals);
  const refused = removals.filter(({ name }) => !names.includes(name));
  if (refused.length > 0) {
    const listed = refused.map(({ kind, name }) => `${kinds[kind]} ${name}`).join(', ');
    const pass = `${option}${refused.map(({ name }) => name).join(',')}`;
    const nothing = idle.length > 0 ? `; nothing named ${idle.join(', ')} is removed` : '';
    throw new Error(
      `this removes from the deployed stack ${stackName}: ${listed}. Put it back into the configuration, or pass ${pass}${nothing}`,
    );
  }
  sayIdle(idle, { where: `from the deployed stack ${stackName}, nothing`, option, say });
}

/** Allowed names without a removal. */
function idleOf(names: readonly string[], removals: readonly Removal[]): readonly string[] {
  return names.filter((one) => one !== '' && one !== unchecked && !removals.some(({ name }) => name === one));
}

/** Such a name may be a typing error, or be left from the deployment that this one repeats: it is only said. */
function sayIdle(
  idle: readonly string[],
  by: Pick<RemovalCheck, 'say'> & { readonly where: string; readonly option: string },
): void {
  if (idle.length === 0) return;
  by.say(`${by.where} named ${idle.join(', ')} is removed: ${by.option}${idle.join(',')} has no effect`);
}
