// Whether the pods of a rule are still being found: because of the rule itself, or of the DeviceClass that it names.
import { expect, it } from 'vitest';
import { clearDirty } from '../../lib/state/clearDirty.ts';
import { causeOf, openFanOut } from '../../lib/state/fanOutRows.ts';
import { classRowKey, ruleRowKey } from '../../lib/state/keys.ts';
import { isBeingFound, storeRule } from '../../lib/state/ruleRows.ts';
import { storeClass } from '../../lib/state/ruleSetRows.ts';
import { createInMemoryTable } from '../support/fakes/table.ts';
import { aClass, aPacedRule, nextVersion } from '../support/objects.ts';

const now = 1_800_000_000_000;

it('pods of a rule are being found while its DeviceClass is dirty or the fan-out of that class is open', async () => {
  const table = createInMemoryTable();
  const state = { table, cluster: 'c@i' } as const;
  const storing = (uid: string) => ({ seen: { uid, resourceVersion: nextVersion() }, now });
  const rule = aPacedRule('r', { deviceSelector: { deviceClassName: 'gpu' } });
  const stored = await storeRule(state, rule, storing(rule.uid));
  if (stored.kind === 'Stale') throw new Error('the rule is not stored');
  await clearDirty(state, ruleRowKey(state.cluster, stored.row.key), { row: stored.row });
  expect(await isBeingFound(state, rule)).toBe(false);

  const deviceClass = aClass('gpu', ['true']);
  const found = await storeClass(state, deviceClass, storing(deviceClass.uid));
  if (found.kind === 'Stale') throw new Error('the class is not stored');
  expect(await isBeingFound(state, rule)).toBe(true);

  const key = classRowKey(state.cluster, 'gpu');
  await openFanOut(state, { cause: causeOf(key), epoch: '1', reaches: [{}] }, now);
  await clearDirty(state, key, { row: found.row });
  expect(await isBeingFound(state, rule)).toBe(true);
});
