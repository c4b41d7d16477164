// What a person may do in the console: the actions, the right that each needs, and links to them.

export const actions = ['pause', 'resume', 'approve', 'rate', 'taint', 'untaint'] as const;
export type ActionName = (typeof actions)[number];

/** What is acted on; `cluster` and `clusters` are paused in the state table: this cluster, or every cluster of the installation. */
export const subjectKinds = ['everything', 'rule', 'policy', 'namespace', 'device', 'cluster', 'clusters'] as const;
export type SubjectKind = (typeof subjectKinds)[number];

export interface ActionRequest {
  readonly action: ActionName;
  readonly kind: SubjectKind;
  /** Empty for everything and for every cluster; a rule is `Kind/NAME`, a device `DRIVER/POOL/DEVICE`. */
  readonly name: string;
  /** Of the pause that is resumed. */
  readonly pause?: string;
}

/** A verb of Kubernetes on a resource: `patch pacedtaintrules.sluice.dev`. */
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

/** Of AWS; whether a reader has it shows when the table refuses the write. */
export const tableRight = 'write the state table';

/** The right without which the action is not offered. */
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

export function hrefOf({ action, kind, name, pause }: ActionRequest): string {
  const query = new URLSearchParams({
    kind,
    ...(name === '' ? {} : { name }),
    ...(pause === undefined ? {} : { pause }),
  });
  return `/act/${action}?${query}`;
}

/** Whether the reader has the right. */
export type May = (request: ActionRequest) => boolean;
