// Rows 117 and 118, unpaced, in the order given: a thousand pods by a rule and by slices.
import type { ResourceSlice } from '../../../lib/model/objects.ts';
import {
  allocated,
  atSecond,
  claim,
  driver,
  edited,
  pod,
  reservedFor,
  result,
  rule,
  taint,
} from '../../support/builders.ts';
import { history, put } from '../scenario.ts';

const names = Array.from({ length: 1000 }, (_, i) => `pod-${String(i).padStart(4, '0')}`);
const deviceOf = (i: number) => `device-${i}`;
const pods = names.map((name) => pod({ name, resourceClaims: [{ name: 'd', resourceClaimName: name }] }));
const claims = pods.map((one, i) =>
  claim({ name: one.name, ...reservedFor(one), ...allocated(result({ device: deviceOf(i) })) }),
);
const slices = Array.from({ length: 20 }, (_, s): ResourceSlice => {
  const devices = Array.from({ length: 50 }, (_, d) => ({ name: deviceOf(s * 50 + d) }));
  return {
    kind: 'ResourceSlice',
    name: `slice-${s}`,
    uid: `slice-${s}`,
    resourceVersion: '1',
    driver,
    pool: { name: 'worker', generation: 1 },
    devices,
  };
});

const none = rule({ taint: taint({ effect: 'None' }) });
const touched = edited(none, { taint: taint({ effect: 'None', timeAdded: atSecond(1) }) });
const dryRun = {
  rule:
    'False NoEffect: 1000 published devices selected. 1000 allocated devices selected. 1000 pods would be evicted in ' +
    '1 namespace if the effect was NoExecute. This information will not be updated again. Recreate the DeviceTaintRule ' +
    'to trigger an update.',
};

/** Each slice with a new generation and a taint on every device. */
const tainted = slices.map((one) => ({
  ...one,
  pool: { ...one.pool, generation: 2 },
  devices: one.devices.map((device) => ({ ...device, taints: [taint()] })),
}));

export const atScale = [
  history('row-117 evict-cluster-rule', {
    once: true,
    given: [...slices, ...claims, ...pods],
    steps: [
      { events: [put(none)], expect: { conditions: dryRun, conditionWrites: { rule: 1 } } },
      { events: [put(touched)], expect: { conditions: dryRun, conditionWrites: { rule: 2 } } },
      {
        events: [put(edited(touched, { taint: taint() }))],
        held: true,
        expect: { planned: Object.fromEntries(names.map((name) => [name, 0])) },
      },
      {
        advance: 10,
        expect: {
          deleted: names,
          conditions: { rule: 'False Completed: 1000 pods evicted since starting the controller.' },
        },
      },
    ],
  }),
  history('row-118 evict-cluster-slices', {
    once: true,
    given: [...slices, ...claims, ...pods],
    steps: [{ events: tainted.map(put), expect: { deleted: names } }],
  }),
];
