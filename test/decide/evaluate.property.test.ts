// Properties of verdicts, tolerations and previews over valid and invalid objects.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluate, evaluatePod, isCounted, preview } from '../../lib/decide/evaluate.ts';
import { rulesFor } from '../../lib/decide/ruleIndex.ts';
import { selects } from '../../lib/decide/select.ts';
import { toleratedUntil } from '../../lib/decide/tolerate.ts';
import type { DeviceTaint, DeviceToleration } from '../../lib/model/objects.ts';
import { recallNothing } from '../../lib/model/recall.ts';
import { type SnapshotObjects, snapshotOf } from '../../lib/model/snapshot.ts';
import type { Verdict } from '../../lib/model/verdict.ts';
import { rules, selectors, tolerations, validTaints, worlds } from '../support/arbitraries.ts';
import { driver, pool } from '../support/builders.ts';

const runs = { numRuns: 300 };
const anyWorld = worlds;

function timeOf(verdict: Verdict | undefined): number {
  return verdict?.kind === 'EvictAt' ? verdict.at : Number.POSITIVE_INFINITY;
}

function shuffled(world: Required<Omit<SnapshotObjects, 'recall'>>): fc.Arbitrary<SnapshotObjects> {
  const all = <T>(of: readonly T[]) => fc.shuffledSubarray([...of], { minLength: of.length });
  return fc.record({
    pods: all(world.pods),
    claims: all(world.claims),
    slices: all(world.slices),
    rules: all(world.rules),
    settings: fc.constant(world.settings),
  });
}

describe('a verdict', () => {
  it('every pod gets a verdict without an exception, whatever the objects are', () => {
    fc.assert(
      fc.property(anyWorld, (world) => {
        const snapshot = snapshotOf(world);
        const kinds = [...evaluate(snapshot).values()].map((verdict) => verdict.kind);
        for (const rule of world.rules) preview(rule, snapshot);
        expect(kinds.every((kind) => ['Keep', 'EvictAt', 'Unknown'].includes(kind))).toBe(true);
      }),
      runs,
    );
  });

  it('a verdict does not depend on the order in which objects are listed', () => {
    const pair = anyWorld.chain((world) => fc.tuple(fc.constant(world), shuffled(world)));
    fc.assert(
      fc.property(pair, ([world, again]) => {
        const before = new Map([...evaluate(snapshotOf(world))].sort());
        expect(new Map([...evaluate(snapshotOf(again))].sort())).toEqual(before);
      }),
      runs,
    );
  });

  it('a verdict to evict has the time of its earliest reason, and each reason is a NoExecute taint on an allocated device', () => {
    fc.assert(
      fc.property(anyWorld, (world) => {
        const snapshot = snapshotOf(world);
        for (const pod of world.pods) {
          const verdict = evaluatePod(pod, snapshot);
          if (verdict.kind !== 'EvictAt') continue;
          expect(pod.nodeName).toBeTruthy();
          expect(Math.min(...verdict.because.map((reason) => reason.at))).toBe(verdict.at);
          for (const { taint, device, claim } of verdict.because) {
            expect(taint.effect).toBe('NoExecute');
            const allocated = snapshot.claims.get(`${claim.namespace}/${claim.name}`)?.allocation?.devices ?? [];
            expect(allocated).toContainEqual(expect.objectContaining(device));
          }
        }
      }),
      runs,
    );
  });

  it('every pod is kept when no claim is allocated', () => {
    fc.assert(
      fc.property(worlds, (world) => {
        const claims = world.claims.map(({ allocation: _, ...claim }) => claim);
        for (const verdict of evaluate(snapshotOf({ ...world, claims })).values()) expect(verdict.kind).toBe('Keep');
      }),
      runs,
    );
  });

  it('every pod is kept when no claim is reserved', () => {
    fc.assert(
      fc.property(worlds, (world) => {
        const claims = world.claims.map((claim) => ({ ...claim, reservedFor: [] }));
        const settings = { ...world.settings, nonPodConsumers: false };
        const verdicts = evaluate(snapshotOf({ ...world, claims, settings })).values();
        for (const verdict of verdicts) expect(verdict.kind).toBe('Keep');
      }),
      runs,
    );
  });

  it('every pod is kept when no taint has the effect NoExecute', () => {
    const calm = (taint: DeviceTaint) =>
      taint.effect === 'NoExecute' ? { ...taint, effect: 'unknown-effect' } : taint;
    fc.assert(
      fc.property(worlds, (world) => {
        const rules = world.rules.map((rule) => ({ ...rule, taint: calm(rule.taint) }));
        const slices = world.slices.map((slice) => ({
          ...slice,
          devices: slice.devices.map((device) => ({ ...device, taints: (device.taints ?? []).map(calm) })),
        }));
        const verdicts = evaluate(snapshotOf({ ...world, rules, slices })).values();
        for (const verdict of verdicts) expect(verdict.kind).toBe('Keep');
      }),
      runs,
    );
  });

  it('a verdict never comes later when a rule is added', () => {
    fc.assert(
      fc.property(worlds, rules, (world, added) => {
        const before = evaluate(snapshotOf(world));
        const more = [...world.rules, { ...added, name: 'added', uid: 'uid-added' }];
        for (const [uid, verdict] of evaluate(snapshotOf({ ...world, rules: more }))) {
          expect(timeOf(verdict)).toBeLessThanOrEqual(timeOf(before.get(uid)));
        }
      }),
      runs,
    );
  });
});

describe('a toleration', () => {
  const device = { driver, pool, device: 'instance' };
  const until = (taint: DeviceTaint, of: readonly DeviceToleration[]) => {
    const tolerated = toleratedUntil(taint, of, { emptyEffectTolerates: false });
    if (tolerated.kind === 'Unknown') return Number.NaN;
    return tolerated.kind === 'Forever' ? Number.POSITIVE_INFINITY : tolerated.at;
  };
  const clean = fc.array(
    tolerations.filter((one) => !Number.isNaN(one.tolerationSeconds ?? 0)),
    { maxLength: 4 },
  );

  it('a toleration that is the only one, or has no seconds, never makes an eviction earlier', () => {
    fc.assert(
      fc.property(validTaints, clean, tolerations, (taint, before, added) => {
        const { tolerationSeconds: _, ...forever } = added;
        expect(until(taint, [...before, forever])).toBeGreaterThanOrEqual(until(taint, before));
        if (Number.isNaN(added.tolerationSeconds ?? 0)) return;
        expect(until(taint, [added])).toBeGreaterThanOrEqual(until(taint, []));
      }),
      runs,
    );
  });

  it('a toleration never ends before the taint was added', () => {
    fc.assert(
      fc.property(validTaints, clean, (taint, of) => {
        expect(until(taint, of)).toBeGreaterThanOrEqual(taint.timeAdded);
      }),
      runs,
    );
  });

  it('the order of tolerations does not change their end', () => {
    const orders = clean.chain((of) => fc.tuple(fc.constant(of), fc.shuffledSubarray(of, { minLength: of.length })));
    fc.assert(
      fc.property(validTaints, orders, (taint, [of, again]) => {
        expect(until(taint, again)).toBe(until(taint, of));
      }),
      runs,
    );
  });

  it('the index of rules finds the same rules as a scan of all rules', () => {
    fc.assert(
      fc.property(fc.array(rules, { maxLength: 8 }), selectors, (list, of) => {
        const one = { ...device, ...of };
        expect(rulesFor(one, list, recallNothing)).toEqual(list.filter((rule) => selects(rule.deviceSelector, one)));
      }),
      runs,
    );
  });
});

describe('a preview', () => {
  it('a preview of a rule names the pods that the rule evicts with the effect NoExecute', () => {
    fc.assert(
      fc.property(worlds, (world) => {
        for (const rule of world.rules) {
          const acting = { ...rule, taint: { ...rule.taint, effect: 'NoExecute' } };
          const others = world.rules.filter((one) => one !== rule);
          const verdicts = evaluate(snapshotOf({ ...world, rules: [...others, acting] }));
          const expected = world.pods.filter((pod) => {
            const verdict = verdicts.get(pod.uid);
            const because = verdict?.kind === 'EvictAt' ? verdict.because : [];
            return isCounted(pod) && because.some(({ origin }) => origin.kind === 'Rule' && origin.uid === rule.uid);
          });
          const { evicted, pods, namespaces } = preview(rule, snapshotOf(world));
          expect(new Set(evicted)).toEqual(new Set(expected));
          expect(pods).toBe(expected.length);
          expect(namespaces).toBe(new Set(expected.map((pod) => pod.namespace)).size);
        }
      }),
      runs,
    );
  });
});
