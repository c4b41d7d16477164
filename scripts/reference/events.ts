// Example Events for the reference page, one per reason and text, created by the functions that create real Events.
import { tolerationProblems } from '../../lib/decide/annotatedTolerations.ts';
import {
  formatCancellation,
  formatClaimProblem,
  formatEviction,
  formatRefusal,
  formatWayProblem,
} from '../../lib/decide/eventText.ts';
import { limiterOf } from '../../lib/decide/limiter.ts';
import { formatLoop } from '../../lib/decide/loopText.ts';
import { modeLabel, wayToGo } from '../../lib/decide/mode.ts';
import { policyGoneEvent } from '../../lib/decide/policyGone.ts';
import { claimProblems, reservedForAnnotation } from '../../lib/decide/reservedFor.ts';
import { waveEvent } from '../../lib/decide/waveText.ts';
import { deviceKey } from '../../lib/model/identity.ts';
import type { EvictionPolicy } from '../../lib/model/policy.ts';
import type { EventToRecord } from '../../lib/model/status.ts';
import type { Reason } from '../../lib/model/verdict.ts';
import { expiryWarning } from '../../lib/stages/report/expiry.ts';
import { allocated, claim, pod, result, rule } from '../../test/support/builders.ts';
import { pacedRule } from '../../test/support/pacedBuilders.ts';

const at = Date.parse('2030-01-01T08:00:00Z');
const controller = { apiVersion: 'batch/v1', kind: 'Job', name: 'trainer', uid: 'uid-job' };
const evicted = pod({ namespace: 'team-a', name: 'trainer-3', controller });
const device = { driver: 'gpu.example.com', pool: 'node-7', device: 'gpu-0' };
const taint = { key: 'example.com/ecc', value: 'errors', effect: 'NoExecute', timeAdded: at } as const;
const inSlice = { kind: 'Slice', name: 'node-7-gpus', index: 0 } as const;
const because: readonly Reason[] = [
  {
    origin: { kind: 'Rule', name: 'broken-gpus', uid: 'uid-rule', generation: 1 },
    taint,
    device,
    claim: { namespace: 'team-a', name: 'gpu' },
    at,
  },
];
const [reason] = because as readonly [Reason];
const deserted = [limiterOf({ ...reason, origin: inSlice })];
const policy: EvictionPolicy = {
  kind: 'EvictionPolicy',
  name: 'gpus',
  uid: 'uid-policy',
  resourceVersion: '1',
  generation: 1,
  taints: {},
  observer: { minDevices: 8, percent: 80, window: 60_000 },
  deserted,
};
const wave = {
  policy: policy.name,
  scope: { kind: 'Pool', driver: device.driver, pool: device.pool },
  key: taint.key,
  sources: ['ResourceSlice'],
  from: at,
  to: at + 12_000,
  devices: 9,
  total: 10,
  offers: [{ digest: '0123456789ab', devices: 9 }],
} as const;
const annotated = claim({
  ...allocated(result()),
  annotations: { [reservedForAnnotation]: '[]', 'sluice.dev/tolerations': '[]' },
});

/** In page order. */
export function exampleEvents(): readonly EventToRecord[] {
  const facts = { pod: evicted, ledger: { because }, at };
  const labelled = { ...evicted, labels: { [modeLabel]: 'Later' } };
  const loop = { limiter: limiterOf(reason), device: deviceKey(device), times: 3, until: at + 600_000 };
  return [
    formatEviction(facts),
    formatCancellation({ ...facts, attempt: 1 }),
    formatWayProblem(evicted, wayToGo({ pod: labelled }).problem ?? '', at),
    formatLoop({ pod: evicted, because, loop, policy: undefined, at }),
    ...[...claimProblems(annotated), ...tolerationProblems(annotated)].map((one) =>
      formatClaimProblem(annotated, one, at),
    ),
    formatRefusal(annotated, at),
    waveEvent(policy, wave, at),
    policyGoneEvent(policy, at),
    expiryWarning(rule(), at + 600_000, at),
    expiryWarning(pacedRule(), at + 600_000, at),
  ].filter((event) => event !== undefined);
}
