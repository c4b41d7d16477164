// Random mode switches and configurations: no pod is evicted while its source is not owned, none twice, and all in the end.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Mode, Modes, Source } from '../../lib/model/ownership.ts';
import { readModePlan, switchModes } from '../../lib/state/modeRows.ts';
import { aHeartbeat, aPacedRule, aRule, upserted } from '../support/objects.ts';
import { pacedWorld, start } from '../support/pacedWorld.ts';

const native = ['n0', 'n1', 'n2'];
const paced = ['p0', 'p1', 'p2'];
const devices = Object.fromEntries([...native, ...paced].map((name) => [name, {}]));
const slowly = { key: 'example.com/bad', effect: 'NoExecute', evictionsPerSecond: 0.05, burst: 1 };
const annotations = { 'sluice.dev/evictions-per-second': '0.05', 'sluice.dev/burst': '1' };

const aMode = fc.constantFrom<Mode>('own', 'shadow', 'off');
const aStep = fc.oneof(
  fc.record({ kind: fc.constant('Switch' as const), source: fc.constantFrom<Source>('native', 'paced'), mode: aMode }),
  fc.record({
    kind: fc.constant('Configure' as const),
    source: fc.constantFrom<Source>('native', 'paced'),
    mode: aMode,
  }),
  fc.record({ kind: fc.constant('Trace' as const) }),
  fc.record({ kind: fc.constant('Pass' as const), seconds: fc.integer({ min: 1, max: 90 }) }),
);

type Step = typeof aStep extends fc.Arbitrary<infer T> ? T : never;

/** Plays the steps; `wrong` has the pods that were evicted while their source was not owned. */
async function play(steps: readonly Step[]) {
  const configured: Record<string, Mode> = { native: 'own', paced: 'own' };
  const switched: Record<string, Mode> = { native: 'own', paced: 'own' };
  const world = await pacedWorld(devices, {}, () => configured as unknown as Modes);
  const state = { table: world.world.table, cluster: world.world.cluster };
  const deletes = () => world.world.api.deletes.map(({ pod, at }) => ({ name: pod.name, at }));
  const wrong: string[] = [];
  let isShared = false;
  const take = async (step: Step) => {
    if (step.kind === 'Pass') return world.run(step.seconds);
    if (step.kind === 'Trace') {
      isShared = true;
      const at = world.world.now();
      return world.ingest({ ...aHeartbeat(at), inTree: { at, evidence: 'it marked pod default/x' } });
    }
    if (step.kind === 'Switch' && step.source === 'native' && step.mode === 'own') isShared = false;
    (step.kind === 'Configure' ? configured : switched)[step.source] = step.mode;
    if (step.kind === 'Configure') return;
    await switchModes(state, { [step.source]: step.mode }, world.world.now());
    await world.ingest({ type: 'Switched' });
  };
  for (const name of native) {
    const rule = aRule(`rule-${name}`, start, { deviceSelector: { device: name }, annotations });
    world.world.api.rules.set(rule.name, { rule, conditions: [] });
    await world.ingest(upserted(rule));
  }
  for (const name of paced) await world.write(aPacedRule(name, { deviceSelector: { device: name }, taints: [slowly] }));
  for (const step of steps) {
    const before = deletes().length;
    await take(step);
    for (const { name } of deletes().slice(before)) {
      const source = sourceOfPod(name);
      const isOwned = configured[source] === 'own' && switched[source] === 'own';
      if (!isOwned || (source === 'native' && isShared)) wrong.push(name);
    }
  }
  return { world, state, deletes, wrong, take };
}

const sourceOfPod = (name: string) => (native.includes(name) ? 'native' : 'paced');

it('each pod is evicted once, never while its source is not owned, and not before its plan was shown', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(aStep, { minLength: 1, maxLength: 8 }), async (steps) => {
      const { world, state, deletes, wrong, take } = await play(steps);
      expect(wrong).toEqual([]);
      const before = deletes().length;
      for (const source of ['native', 'paced'] as const) {
        await take({ kind: 'Configure', source, mode: 'own' });
        await take({ kind: 'Switch', source, mode: 'own' });
      }
      await world.run(400);
      expect(
        deletes()
          .map(({ name }) => name)
          .toSorted(),
      ).toEqual([...native, ...paced]);
      for (const source of ['native', 'paced'] as const) {
        const plan = await readModePlan(state, source);
        const after = deletes()
          .slice(before)
          .filter(({ name, at }) => sourceOfPod(name) === source && plan && at >= plan.at);
        for (const { at } of after) expect(at - (plan?.at ?? at)).toBeGreaterThanOrEqual(30_000);
      }
    }),
    { numRuns: 60 },
  );
});
