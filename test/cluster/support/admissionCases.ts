// What the admission policies refuse and accept, by policy and by the property of the object that decides.
import type { JsonMap } from '../../../lib/local/cluster/object.ts';
import {
  alternative,
  annotated,
  approved,
  claim,
  counters,
  crowded,
  everyDevice,
  key,
  keyed,
  largest,
  many,
  older,
  oneDriver,
  paced,
  rule,
  slice,
  sliceWithData,
  template,
  withData,
} from './admissionObjects.ts';

/** `--as` flags by which the administrator impersonates a user; none for the administrator. */
export type Actor = readonly string[];

export interface Attempt {
  readonly manifest: JsonMap;
  readonly by?: Actor;
}

/** `member` belongs to a group that may annotate, `other` to none. */
type Cases = Readonly<Record<string, Readonly<Record<string, (member: Actor, other: Actor) => Attempt>>>>;

/** Every annotation that hides a key from a careless reader of JSON. */
const hidden = {
  'a key that is not allowed': '{"gpu":[{"key":"other","operator":"Exists"}]}',
  'no key': '{"gpu":[{"operator":"Exists"}]}',
  'no key beside one that has two': '{"gpu":[{"key":"drain","key":"drain"},{"operator":"Exists"}]}',
  'an escaped key': '{"gpu":[{"\\u006bey":"other"}]}',
  'a key behind a brace in a text': '{"gpu":[{"key":"drain","value":"}","key":"other"}]}',
  'a key that is a number': '{"gpu":[{"key":"drain"},{"key":1}]}',
};

export const refused: Cases = {
  'annotation-writers': {
    'an approval by a user who is in no group for it': (_, by) => ({ manifest: rule(oneDriver, approved('x')), by }),
    'a pause under a name': (_, by) => ({
      manifest: rule(oneDriver, { annotations: { 'pause.sluice.dev/audit': 'until Monday' } }),
      by,
    }),
    'a rate on a rule of Sluice': (_, by) => ({ manifest: paced({ 'sluice.dev/burst': '5' }), by }),
    'tolerations on a claim': (_, by) => ({
      manifest: claim([], { namespace: 'open', annotations: annotated('{}') }),
      by,
    }),
    'tolerations on a template': (_, by) => ({
      manifest: template([], { namespace: 'open', annotations: annotated('{}') }),
      by,
    }),
  },
  'data-size': {
    'a rule with data of 10 KiB and a byte': () => ({ manifest: withData({ why: 'x'.repeat(10_231) }) }),
    'data that is long in bytes alone': () => ({ manifest: withData({ why: 'é'.repeat(5_116) }) }),
    'the second taint of a rule': () => ({ manifest: withData({}, { deep: [{ why: 'x'.repeat(10_300) }] }) }),
    'a slice of an agent': () => ({ manifest: sliceWithData({ why: 'x'.repeat(10_231) }) }),
  },
  'empty-selector': {
    'every device': () => ({ manifest: rule(everyDevice) }),
    'every device in an older version': () => ({ manifest: rule(everyDevice, {}, 'v1alpha3') }),
    'a word that is no approval': () => ({ manifest: rule(everyDevice, approved('yes')) }),
  },
  'reserved-keys': {
    'kubernetes.io in a rule': () => ({ manifest: rule(keyed('kubernetes.io/unhealthy')) }),
    'a subdomain of k8s.io in a rule': () => ({ manifest: rule(keyed('gpu.k8s.io/unhealthy')) }),
    'a subdomain of kubernetes.io in a slice': () => ({
      manifest: slice('example.com/bad', 'resource.kubernetes.io/bad'),
    }),
  },
  'toleration-form': {
    'seventeen tolerations': () => ({ manifest: claim(many(17)) }),
    'seventeen in a template': () => ({ manifest: template(many(17)) }),
    'seventeen in an alternative': () => ({ manifest: alternative(many(17)) }),
    'an empty key with a value': () => ({ manifest: claim([{ value: 'x' }], { namespace: 'open' }) }),
    'an empty key in the oldest version': () => ({
      manifest: { ...older([{ value: 'x' }]), metadata: { name: 'c', namespace: 'open' } },
    }),
  },
  'toleration-keys': {
    'another key': () => ({ manifest: claim([key('example.com/a'), key('other')]) }),
    'every key': () => ({ manifest: claim([{ operator: 'Exists' }]) }),
    'another key in a template': () => ({ manifest: template([key('other')]) }),
    'another key in an alternative': () => ({ manifest: alternative([key('other')]) }),
    'another key in the oldest version': () => ({ manifest: older([key('other')]) }),
    'any key in a namespace that may tolerate nothing': () => ({
      manifest: claim([key('drain')], { namespace: 'closed' }),
    }),
    'a key that other namespaces may not tolerate': () => ({
      manifest: claim([key('drain')], { namespace: 'elsewhere' }),
    }),
    ...Object.fromEntries(
      Object.entries(hidden).map(([what, text]) => [
        `an annotation with ${what}`,
        () => ({ manifest: claim([], { annotations: annotated(text) }) }),
      ]),
    ),
    'the annotation of a template': () => ({ manifest: template([], { annotations: annotated(hidden['no key']) }) }),
  },
};

const fine = '{"gpu": [{"key" : "drain"}, {"key":"example.com/a","operator":"Exists"}], "other": []}';

export const accepted: Cases = {
  'annotation-writers': {
    'an approval by a member': (by) => ({ manifest: rule(oneDriver, approved('x')), by }),
    'tolerations on a claim by a member': (by) => ({ manifest: claim([], { annotations: annotated(fine) }), by }),
    'other annotations by any user': (_, by) => ({
      manifest: rule(oneDriver, { annotations: { 'notsluice.dev/x': '', 'example.com/sluice.dev': '' } }),
      by,
    }),
    'rules without annotations by any user': (_, by) => ({ manifest: rule(oneDriver), by }),
  },
  'data-size': {
    'data of 10 KiB': () => ({ manifest: withData({ why: 'x'.repeat(10_230) }) }),
    'two taints with data of 10 KiB': () => ({
      manifest: withData({ why: 'x'.repeat(10_230) }, { why: 'x'.repeat(10_230) }),
    }),
    'many small members': () => ({
      manifest: withData({ list: Array.from({ length: 2_000 }, (_, i) => [i % 10]), deep: { a: { b: [null, true] } } }),
    }),
    'no data': () => ({ manifest: withData(undefined) }),
    'a slice of an agent': () => ({ manifest: sliceWithData({ why: 'x'.repeat(10_230) }) }),
    'a slice without taints': () => ({ manifest: sliceWithData() }),
  },
  'empty-selector': {
    'every device with a word of approval': () => ({ manifest: rule(everyDevice, approved('every-device')) }),
    'every device with the digest of a plan': () => ({ manifest: rule(everyDevice, approved('0123456789ab')) }),
    'a preview for every device': () => ({
      manifest: rule({ ...everyDevice, taint: { key: 'example.com/bad', effect: 'None' } }),
    }),
    'a driver': () => ({ manifest: rule(oneDriver) }),
    'no selector': () => ({ manifest: rule({ taint: everyDevice.taint }) }),
  },
  'reserved-keys': {
    "a key of one's own": () => ({ manifest: rule(keyed('example.com/unhealthy')) }),
    'a domain that only has the same end': () => ({ manifest: rule(keyed('notk8s.io/unhealthy')) }),
    'a name without a domain': () => ({ manifest: rule(keyed('kubernetes.io')) }),
    'a slice with keys of its driver': () => ({ manifest: slice('gpu.example.com/xid', 'gpu.example.com/ecc') }),
    'a slice without taints': () => ({ manifest: slice() }),
    'a slice as large as the API has them': () => ({ manifest: crowded }),
    'a slice of counters': () => ({ manifest: counters }),
  },
  'toleration-form': {
    'sixteen tolerations': () => ({ manifest: claim(many(16)) }),
    'an empty key with Exists': () => ({ manifest: claim([{ operator: 'Exists' }], { namespace: 'open' }) }),
    'a key and a value': () => ({ manifest: claim([{ key: 'drain', value: 'x' }]) }),
    'a claim without requests': () => ({ manifest: { ...claim([]), spec: {} } }),
  },
  'toleration-keys': {
    'allowed keys': () => ({ manifest: claim([key('example.com/a'), key('drain')]) }),
    'allowed keys in an alternative': () => ({ manifest: alternative([key('drain')]) }),
    'allowed keys in the annotation': () => ({ manifest: claim([], { annotations: annotated(fine) }) }),
    'any key where all are allowed': () => ({
      manifest: template([key('other'), { operator: 'Exists' }], {
        namespace: 'open',
        annotations: annotated(hidden['no key']),
      }),
    }),
    'a claim as large as the API has them': () => ({ manifest: largest }),
    'no tolerations where none is allowed': () => ({ manifest: claim([], { namespace: 'closed' }) }),
    'the default key in other namespaces': () => ({
      manifest: claim([key('example.com/maintenance')], { namespace: 'elsewhere' }),
    }),
  },
};

/** Stored before the policies were installed, though each of them would refuse it. */
export const kept = [
  rule(everyDevice, { name: 'kept', annotations: { 'sluice.dev/burst': '1' } }),
  rule({ ...everyDevice, taint: { key: 'example.com/bad', effect: 'None' } }, { name: 'preview' }),
  rule(keyed('k8s.io/kept'), { name: 'reserved' }),
  { ...claim([key('other')], { name: 'kept', annotations: annotated('{"gpu":[{}]}') }) },
];

export function edits(member: Actor, other: Actor) {
  const annotate = (what: string, word: string, by: Actor) => ['annotate', ...what.split(' '), word, ...by];
  const label = (what: string) => ['label', ...what.split(' '), 'a=b', ...other];
  const patch = (name: string, spec: JsonMap) => [
    'patch',
    'devicetaintrule',
    name,
    '--type=merge',
    `-p=${JSON.stringify({ spec })}`,
    ...other,
  ];
  return {
    accepted: [
      ['a pause of a rule with an empty selector', annotate('devicetaintrule kept', 'sluice.dev/paused=true', member)],
      ['a label by any user', label('devicetaintrule kept')],
      ['a label on a rule with a reserved key', label('devicetaintrule reserved')],
      ['a label on a claim with tolerations', label('resourceclaim kept -n research')],
      ['a narrower selector', patch('kept', { deviceSelector: { driver: 'gpu.example.com' } })],
    ],
    refused: [
      ['a preview that becomes NoExecute for every device', patch('preview', { taint: { effect: 'NoExecute' } })],
      [
        'an annotation removed by a user without the right',
        annotate('devicetaintrule kept', 'sluice.dev/burst-', other),
      ],
      ['a new key that is reserved', patch('reserved', { taint: { key: 'k8s.io/other' } })],
      [
        'an annotation that tolerates more than before',
        annotate(
          'resourceclaim kept -n research --overwrite',
          'sluice.dev/tolerations={"gpu":[{"key":"other"}]}',
          member,
        ),
      ],
    ],
  } as const;
}
