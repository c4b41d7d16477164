// Reference page of annotations, labels and taint keys, and their meaning; a test compares the names with the code.
import { table } from './markdown.ts';

interface Key {
  readonly as: 'annotation' | 'label' | 'taint key';
  /** Kinds of objects that have it. */
  readonly on: string;
  readonly value: string;
  readonly meaning: string;
  /** Who writes it; absent: a person or a tool of theirs. */
  readonly by?: 'Sluice' | 'sluice';
}

const rules = 'DeviceTaintRule, PacedTaintRule';

export const annotations = {
  'sluice.dev/evictions-per-second': {
    as: 'annotation',
    on: rules,
    value: '0 to 10000, at most four decimals',
    meaning: 'Rate of the rule. It takes precedence over `evictionsPerSecond` of the EvictionPolicy.',
  },
  'sluice.dev/burst': {
    as: 'annotation',
    on: rules,
    value: '0 to 10000, a whole number',
    meaning: 'How many pods may be evicted at once before the rate limits them.',
  },
  'sluice.dev/paused': {
    as: 'annotation',
    on: `${rules}, EvictionPolicy, Namespace`,
    value: 'anything but `false`',
    meaning: 'No pod is evicted for the rule, for the taints of the policy, or from the namespace.',
  },
  'pause.sluice.dev/<name>': {
    as: 'annotation',
    on: `${rules}, EvictionPolicy, Namespace`,
    value: 'why, for people',
    meaning: 'A pause with a name, as `sluice pause` sets it. Evictions continue when the last one is removed.',
  },
  'sluice.dev/approve': {
    as: 'annotation',
    on: `${rules}, EvictionPolicy`,
    value: 'digest of the plan; several with commas',
    meaning: 'Approves the plan that condition `sluice.dev/Held` offers; it covers up to a tenth more pods.',
  },
  'sluice.dev/approve-note': {
    as: 'annotation',
    on: `${rules}, EvictionPolicy`,
    value: 'digest of the plan, author and time',
    meaning: 'Who approved the plan and when, for people. The verb `approve` and the console write it.',
    by: 'sluice',
  },
  'sluice.dev/expires-at': {
    as: 'annotation',
    on: rules,
    value: 'RFC 3339 time',
    meaning: 'No pod is evicted for the rule after this time. The rule itself stays unchanged.',
  },
  'sluice.dev/eviction-mode': {
    as: 'label',
    on: 'Pod, Namespace',
    value: '`Delete`, `Evict`, `WaitForCompletion` or `Skip`',
    meaning: 'How a pod is evicted; the label of a pod takes precedence. Any other value keeps the pod.',
  },
  'sluice.dev/eviction-deadline': {
    as: 'label',
    on: 'Pod, Namespace',
    value: 'duration such as `90s`, `45m` or `2h`',
    meaning: 'How long after the due time `Evict` and `WaitForCompletion` delay the DELETE.',
  },
  'sluice.dev/tolerations': {
    as: 'annotation',
    on: 'ResourceClaim, `spec.metadata` of a ResourceClaimTemplate',
    value: 'JSON object from request to a list of DeviceTolerations',
    meaning: 'Tolerations for API servers that drop the field.',
  },
  'sluice.dev/reserved-for': {
    as: 'annotation',
    on: 'ResourceClaim',
    value: 'JSON object `{apiGroup, resource, name, uid}`',
    meaning: 'A consumer that is not a pod (KEP-5194). Every pod that refers to the claim is a consumer then.',
  },
  'sluice.dev/incarnation': {
    as: 'annotation',
    on: 'Namespace `kube-system`',
    value: 'any text that was not used before',
    meaning: 'Starts an empty mirror, after etcd was restored from a backup.',
  },
  'sluice.dev/note': {
    as: 'annotation',
    on: 'EvictionStop',
    value: 'why, by whom, when',
    meaning: 'Says why `sluice pause` paused the cluster.',
    by: 'sluice',
  },
  'sluice.dev/made-by': {
    as: 'label',
    on: 'PacedTaintRule, EvictionPolicy',
    value: '`taint`, `drain` or `pause`',
    meaning:
      'Only rules with this label are deleted by `sluice untaint`, and only policies with it by `sluice resume`.',
    by: 'sluice',
  },
  'sluice.dev/made-for': {
    as: 'annotation',
    on: 'PacedTaintRule',
    value: '`node/NAME` or `device/DRIVER/POOL/DEVICE`',
    meaning: 'What `sluice taint` or `sluice drain` was asked for.',
    by: 'sluice',
  },
  'sluice.dev/projected-from': {
    as: 'label',
    on: 'DeviceTaintRule',
    value: 'UID',
    meaning: 'The rule tells the scheduler about a PacedTaintRule or DeviceTaintSlice. It evicts no pod itself.',
    by: 'Sluice',
  },
  'sluice.dev/drain': {
    as: 'taint key',
    on: 'PacedTaintRule',
    value: '–',
    meaning: 'Default key of `sluice drain`.',
    by: 'sluice',
  },
  'sluice.dev/probe': {
    as: 'taint key',
    on: 'DeviceTaintRule',
    value: '`asked`',
    meaning: 'Of a rule that selects no device, with which the watcher finds out whether the in-tree controller acts.',
    by: 'Sluice',
  },
  'sluice.dev/check': {
    as: 'taint key',
    on: 'ResourceSlice',
    value: '–',
    meaning: 'Of a slice that `sluice doctor` sends with `dryRun`, so it is never stored.',
    by: 'sluice',
  },
} as const satisfies Readonly<Record<string, Key>>;

export function annotationsPage(): string {
  const rows = Object.entries(annotations).map(([name, one]) => ({ name, by: undefined, ...one }));
  const part = (isOwn: boolean) =>
    table(
      ['name', 'on', 'value', 'meaning'],
      rows
        .filter(({ by }) => (by !== undefined) === isOwn)
        .map(({ name, as, on, value, meaning }) => [`\`${name}\` (${as})`, on, value, meaning]),
    );
  return `# Annotations and labels

\`npm run generate:reference\` makes this page from \`scripts/reference/annotations.ts\`, and a test compares the names with the code.

## Written by people

${part(false)}

## Written by Sluice and its command

${part(true)}
`;
}
