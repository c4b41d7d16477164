// Actions of the console: names, required rights and links.

export const actions = ['pause', 'resume', 'approve', 'rate', 'taint', 'untaint', 'remove'] as const;
export type ActionName = (typeof actions)[number];

/** Kinds of subjects; `cluster` (this one) and `clusters` (all of the installation) are paused in the state table. */
export const subjectKinds = ['everything', 'rule', 'policy', 'namespace', 'device', 'cluster', 'clusters'] as const;
export type SubjectKind = (typeof subjectKinds)[number];

export interface ActionRequest {
  readonly action: ActionName;
  readonly kind: SubjectKind;
  /** Empty for `everything` and `clusters`; `Kind/NAME` for a rule, `DRIVER/POOL/DEVICE` for a device. */
  readonly name: string;
  /** Name of the pause to end. */
  readonly pause?: string;
  /** Field of the policy to remove. */
  readonly field?: HoldingField;
}

/** Fields of an EvictionPolicy's spec that hold pods for a time. */
export const holdingFields = ['canary', 'windows'] as const;
export type HoldingField = (typeof holdingFields)[number];

/** A Kubernetes verb on a resource: `patch pacedtaintrules.sluice.dev`. */
export interface Right {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
}

const own = 'sluice.dev';

export const rights: readonly Right[] = [
  { verb: 'create', group: own, resource: 'evictionstops' },
  { verb: 'delete', group: own, resource: 'evictionstops' },
  { verb: 'patch', group: 'resource.k8s.io', resource: 'devicetaintrules' },
  { verb: 'patch', group: own, resource: 'pacedtaintrules' },
  { verb: 'create', group: own, resource: 'pacedtaintrules' },
  { verb: 'delete', group: own, resource: 'pacedtaintrules' },
  { verb: 'patch', group: own, resource: 'evictionpolicies' },
  { verb: 'patch', group: '', resource: 'namespaces' },
];

export function rightText({ verb, group, resource }: Right): string {
  return `${verb} ${resource}${group === '' ? '' : `.${group}`}`;
}

/** An AWS right; it cannot be checked in advance, only when DynamoDB refuses the write. */
export const tableRight = 'write the state table';

/** The right that the action needs; without it the console does not offer the action. */
export function rightFor({ action, kind, name }: ActionRequest): string {
  switch (kind) {
    case 'everything':
      return `${action === 'resume' ? 'delete' : 'create'} evictionstops.${own}`;
    case 'rule':
      return name.startsWith('DeviceTaintRule/')
        ? 'patch devicetaintrules.resource.k8s.io'
        : `patch pacedtaintrules.${own}`;
    case 'policy':
      return `patch evictionpolicies.${own}`;
    case 'namespace':
      return 'patch namespaces';
    case 'device':
      return `${action === 'untaint' ? 'delete' : 'create'} pacedtaintrules.${own}`;
    case 'cluster':
    case 'clusters':
      return tableRight;
    default:
      return kind satisfies never;
  }
}

/** The emergency stop. */
export const pauseEverything: ActionRequest = { action: 'pause', kind: 'everything', name: '' };

export function hrefOf({ action, kind, name, pause, field }: ActionRequest): string {
  const query = new URLSearchParams({
    kind,
    ...(name === '' ? {} : { name }),
    ...(pause === undefined ? {} : { pause }),
    ...(field === undefined ? {} : { field }),
  });
  return `/act/${action}?${query}`;
}

/** Whether the user has the right for the action. */
export type May = (request: ActionRequest) => boolean;
