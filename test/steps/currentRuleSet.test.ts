// The rule set that a process caches equals the table, however many changes of other writers it missed.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { currentRuleSet } from '../../lib/state/currentRules.ts';
import { ruleVersionKey } from '../../lib/state/keys.ts';
import { storeRule } from '../../lib/state/ruleRows.ts';
import { liveClasses, liveNamespaces, livePolicies, liveTaintRules, readRules } from '../../lib/state/ruleSetRows.ts';
import type { State } from '../../lib/state/state.ts';
import { aClass, aNamespace, aPacedRule, aRule, deleted, nextVersion, upserted } from '../support/objects.ts';
import { evictionPolicy } from '../support/pacedBuilders.ts';
import { start } from '../support/pacedWorld.ts';
import { createWorld, type World } from '../support/world.ts';

type Part = 'rules' | 'policies' | 'classes' | 'namespaces';

const names = ['a', 'b', 'c'];
const name = fc.constantFrom(...names);
const figure = fc.integer({ min: 1, max: 9 });

/** What can happen between two reads of the rule set by one process. */
const event = fc.oneof(
  fc.record({ what: fc.constant('Rule' as const), name, figure }),
  fc.record({ what: fc.constant('PacedRule' as const), name, figure }),
  fc.record({ what: fc.constant('RuleGone' as const), name, figure }),
  fc.record({ what: fc.constant('PacedRuleGone' as const), name, figure }),
  fc.record({ what: fc.constant('PolicyGone' as const), name, figure }),
  fc.record({ what: fc.constant('ClassGone' as const), name, figure }),
  fc.record({ what: fc.constant('NamespaceGone' as const), name, figure }),
  fc.record({ what: fc.constant('Policy' as const), name, figure }),
  fc.record({ what: fc.constant('Class' as const), name, figure }),
  fc.record({ what: fc.constant('Namespace' as const), name, figure }),
  fc.record({ what: fc.constant('Served' as const), name, figure }),
);
type Happening = typeof event extends fc.Arbitrary<infer T> ? T : never;

async function happen(world: World, { what, name, figure }: Happening): Promise<void> {
  const ingest = (change: Parameters<typeof upserted>[0]) =>
    world.deliver({ stage: 'ingest', at: world.now(), body: [upserted(change)] });
  const remove = (object: Parameters<typeof deleted>[0]) =>
    world.deliver({ stage: 'ingest', at: world.now(), body: [deleted(object)] });
  const annotations = { 'sluice.dev/evictions-per-second': String(figure) };
  switch (what) {
    case 'Rule':
      await ingest(aRule(name, start, { annotations, generation: figure }));
      return;
    case 'PacedRule':
      await ingest(aPacedRule(name, { annotations, deviceSelector: { deviceClassName: name } }));
      return;
    case 'RuleGone':
      await remove(aRule(name, start));
      return;
    case 'PacedRuleGone':
      await remove(aPacedRule(name));
      return;
    case 'PolicyGone':
      await remove(evictionPolicy({ name, uid: name, resourceVersion: nextVersion() }));
      return;
    case 'ClassGone':
      await remove(aClass(name, []));
      return;
    case 'NamespaceGone':
      await remove(aNamespace(name));
      return;
    case 'Policy':
      await ingest(evictionPolicy({ name, uid: name, evictionsPerSecond: figure, resourceVersion: nextVersion() }));
      return;
    case 'Class':
      await ingest(aClass(name, [`device.driver == "${figure}"`]));
      return;
    case 'Namespace':
      await ingest(aNamespace(name, { labels: { figure: String(figure) } }));
      return;
    case 'Served':
      await world.table.write({
        kind: 'Update',
        key: ruleVersionKey(world.cluster),
        change: { set: { podGroups: figure > 4 }, add: { version: 1 } },
      });
      return;
    default:
      what satisfies never;
  }
}

/** The same change as written by an older release, which does not record the changed row. */
async function happenUnsaid(world: World, one: Happening): Promise<void> {
  const key = ruleVersionKey(world.cluster);
  const before = await world.table.get(key);
  await happen(world, one);
  const after = await world.table.get(key);
  const noted = Number(before?.noted ?? 0) - Number(after?.noted ?? 0);
  const set = before?.last === undefined ? {} : { last: before.last };
  await world.table.write({ kind: 'Update', key, change: { set, add: { noted } } });
}

async function written(state: State) {
  const stored = await readRules(state);
  return decisive({
    rules: liveTaintRules(stored),
    policies: livePolicies(stored),
    classes: liveClasses(stored),
    namespaces: liveNamespaces(stored),
  });
}

/** Without resource versions: a change of status alone changes them, affects no decision and is not read again. */
function decisive({ rules, policies, classes, namespaces }: Pick<Awaited<ReturnType<typeof currentRuleSet>>, Part>) {
  return { rules: rules.map(({ resourceVersion: _, ...rule }) => rule), policies, classes, namespaces };
}

describe('the cached rule set', () => {
  it('the cached rule set equals the table at every read', async () => {
    const step = fc.record({ events: fc.array(fc.tuple(event, fc.boolean()), { maxLength: 3 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        const world = createWorld({ start });
        const state = { table: world.table, cluster: world.cluster, memory: world.deps.memory };
        for (const { events } of steps) {
          for (const [one, isSaid] of events) await (isSaid ? happen(world, one) : happenUnsaid(world, one));
          expect(decisive(await currentRuleSet(state))).toEqual(await written(state));
        }
      }),
      { numRuns: 60 },
    );
  });

  const reading = () => {
    const calls: string[] = [];
    const world = createWorld({
      start,
      beforeCall: async (call) => {
        calls.push(call);
      },
    });
    const state = { table: world.table, cluster: world.cluster, memory: world.deps.memory };
    return {
      async look() {
        calls.length = 0;
        const { rules } = await currentRuleSet(state);
        return { names: rules.map((rule) => rule.name), calls: [...calls] };
      },
      async change(...of: readonly string[]) {
        for (const rule of of.map((one) => aRule(one, start, { uid: nextVersion() }))) {
          const seen = { uid: rule.uid, resourceVersion: rule.resourceVersion, generation: 1 };
          await storeRule(state, rule, { seen, now: start });
        }
      },
    };
  };

  it('the rule set is read completely first, and then only what has changed', async () => {
    const { look, change } = reading();
    await change('b', 'd');
    expect(await look()).toEqual({ names: ['b', 'd'], calls: ['getMany', 'query'] });
    expect(await look()).toEqual({ names: ['b', 'd'], calls: ['getMany'] });
    await change('c');
    expect(await look()).toEqual({ names: ['b', 'c', 'd'], calls: ['getMany', 'get'] });
    await change('a', 'e');
    expect(await look()).toEqual({ names: ['a', 'b', 'c', 'd', 'e'], calls: ['getMany', 'query'] });
  });

  it('the cached rule set has the change of another process after this one stored a rule again unchanged', async () => {
    const world = createWorld({ start });
    const state = { table: world.table, cluster: world.cluster, memory: world.deps.memory };
    const tell = (rule = aRule('a', start)) =>
      world.deliver({ stage: 'ingest', at: world.now(), body: [upserted(rule)] });
    await tell();
    await currentRuleSet(state);
    await tell();
    const edited = aRule('a', start, { generation: 2, deviceSelector: { pool: 'node-2' } });
    const seen = { uid: edited.uid, resourceVersion: edited.resourceVersion, generation: 2 };
    await storeRule(state, edited, { seen, now: start });
    expect((await currentRuleSet(state)).rules.map(({ generation }) => generation)).toEqual([2]);
  });

  it('the rule set is read completely again after a hundred single changes', async () => {
    const { look, change } = reading();
    const kinds: (string | undefined)[] = [];
    for (let i = 0; i < 103; i++) {
      await change('a');
      kinds.push((await look()).calls[1]);
    }
    expect(kinds.flatMap((kind, i) => (kind === 'query' ? [i] : []))).toEqual([0, 101]);
  });
});
