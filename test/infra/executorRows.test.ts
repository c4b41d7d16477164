// What the role of an outbound cluster's executor may do with the table, decided by IAM's rules over the synthesized template.
import { describe, expect, it } from 'vitest';
import { partitionsOf } from '../../infra/clusterRows.ts';
import { clusterStages } from '../../lib/contract.ts';
import { tableFor } from '../../lib/lambda/stageTable.ts';
import { clusterNameOf } from '../../lib/model/identity.ts';
import { setPause } from '../../lib/state/pauseRows.ts';
import type { Table, Write } from '../../lib/table.ts';
import { aClaim, aHeartbeat, aPod, aRule, upserted } from '../support/objects.ts';
import { createWorld, type World } from '../support/world.ts';
import { decide } from './support/iamEvaluator.ts';
import { asList, cluster, dig, install, referred } from './support/installation.ts';

const start = 1_800_000_000_000;
const executorRoleArn = 'arn:aws:iam::123456789012:role/executor';
const leadingKeys = 'dynamodb:LeadingKeys';

/** Of the table alone, for an outbound cluster of that name. */
function statementsFor(name: string): readonly unknown[] {
  const inside = { ...cluster, name, auth: { kind: 'outbound' }, executorRoleArn } as const;
  const own = install({ clusters: [{ ...cluster, name: 'other' }, inside] });
  const policy = own.one('AWS::IAM::Policy', `Cluster-${name}/Executor`);
  const [table] = own.ofType('AWS::DynamoDB::GlobalTable');
  const all = asList(dig(policy.properties, 'PolicyDocument', 'Statement'));
  return all.filter((one) => asList(dig(one, 'Resource')).some((to) => referred(to) === table?.logicalId));
}

const statements = statementsFor('inside');
const ask = (action: string, keys?: readonly string[]) =>
  decide(statements, { action: `dynamodb:${action}`, context: keys ? { [leadingKeys]: keys } : {} });

const every = ['BatchGetItem', 'GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'];
const writes = ['PutItem', 'UpdateItem', 'DeleteItem'];
const reads = ['BatchGetItem', 'GetItem', 'Query'];

describe('the executor of an outbound cluster', () => {
  it.each(every)('the executor may %s rows of its cluster', (action) => {
    expect(ask(action, ['inside@uid#POD#3'])).toBe('Allow');
  });

  it.each(every)(
    'the executor may not %s rows of another cluster, whatever its name begins with, alone or beside its own rows',
    (action) => {
      for (const other of ['other', 'inside-2', 'in', 'insid', '*']) {
        expect([other, ask(action, [`${other}@uid#POD#3`])]).toEqual([other, 'Deny']);
        expect([other, ask(action, ['inside@uid#POD#3', `${other}@uid#POD#3`])]).toEqual([other, 'Deny']);
      }
    },
  );

  it.each(reads)('the executor may %s pauses and modes of its cluster, also beside its own rows', (action) => {
    expect(ask(action, ['inside@uid#RULE', 'MODES#inside'])).toBe('Allow');
    expect(ask(action, ['PAUSE#inside'])).toBe('Allow');
    expect(ask(action, ['PAUSE'])).toBe('Allow');
  });

  it.each(writes)(
    'the executor may not %s pauses, modes or incarnations of any cluster, even beside a row of its own',
    (action) => {
      for (const pause of ['PAUSE#inside', 'PAUSE', 'PAUSE#other', 'MODES#inside', 'INCARNATIONS#inside']) {
        expect(ask(action, [pause])).toBe('Deny');
        expect(ask(action, ['inside@uid#POD#3', pause])).toBe('Deny');
      }
    },
  );

  it.each(reads)('the executor may not %s pauses of another cluster', (action) => {
    expect(ask(action, ['PAUSE#other'])).toBe('Deny');
  });

  it.each([...every, 'Scan', 'PartiQLSelect', 'PartiQLUpdate', 'BatchWriteItem', 'DeleteTable'])(
    'the executor may not %s without naming keys',
    (action) => {
      expect(ask(action)).toBe('Deny');
    },
  );

  it.each(['Scan', 'PartiQLSelect', 'PartiQLInsert', 'PartiQLUpdate', 'PartiQLDelete', 'BatchWriteItem'])(
    'the executor may not %s at all, even with keys of its own',
    (action) => {
      expect(ask(action, ['inside@uid#POD#3'])).toBe('Deny');
    },
  );

  it('the role of the executor allows every call of evict and report, and the role of another cluster only the global pause', async () => {
    const asked: Asked[] = [];
    const world = createWorld({
      start,
      depsFor: (worker, deps) =>
        clusterStages.some((stage) => stage === worker)
          ? { ...deps, table: tableFor('executor', recording(deps.table, asked)) }
          : deps,
    });
    await setPause({ table: world.table, cluster: 'elsewhere' }, { name: 'p', why: '', since: start });
    const mine = statementsFor(clusterNameOf(world.cluster));
    await play(world);
    expect(world.api.deletes).toHaveLength(3);
    expect(asked.length).toBeGreaterThan(20);
    const refusedBy = (all: readonly unknown[]) =>
      asked.filter(
        ({ action, keys }) =>
          decide(all, { action: `dynamodb:${action}`, context: { [leadingKeys]: keys } }) === 'Deny',
      );
    expect(refusedBy(mine)).toEqual([]);
    const isOfAll = ({ keys }: { readonly keys: readonly string[] }) => keys.every((key) => key === 'PAUSE');
    expect(refusedBy(statements)).toEqual(asked.filter((one) => !isOfAll(one)));
  });

  it('the partitions of an executor are those of its cluster, its pauses and modes, and the global pause', () => {
    expect(partitionsOf('inside')).toEqual({ own: 'inside@*', people: ['PAUSE#inside', 'PAUSE', 'MODES#inside'] });
  });
});

interface Asked {
  readonly action: string;
  readonly keys: readonly string[];
}

/** Calls of the table, as AWS authorises them: each write of a transaction by itself. */
function recording(table: Table, asked: Asked[]): Table {
  const actions = { Put: 'PutItem', Update: 'UpdateItem', Delete: 'DeleteItem' } as const;
  const note = (write: Write) =>
    asked.push({ action: actions[write.kind], keys: [write.kind === 'Put' ? write.row.pk : write.key.pk] });
  return {
    get: (key) => {
      asked.push({ action: 'GetItem', keys: [key.pk] });
      return table.get(key);
    },
    getMany: (keys) => {
      if (keys.length > 0) asked.push({ action: 'BatchGetItem', keys: keys.map(({ pk }) => pk) });
      return table.getMany(keys);
    },
    query: (range) => {
      asked.push({ action: 'Query', keys: [range.pk] });
      return table.query(range);
    },
    queryDue: () => Promise.reject(new Error('the executor may query no index')),
    queryHeads: () => Promise.reject(new Error('the executor may query no index')),
    write: (write) => {
      note(write);
      return table.write(write);
    },
    transact: (all) => {
      for (const write of all) note(write);
      return table.transact(all);
    },
  };
}

async function play(world: World): Promise<void> {
  const names = ['a', 'b', 'c'];
  const rule = aRule('r', start);
  world.api.rules.set('r', { rule, conditions: [] });
  for (const name of names)
    world.api.pods.set(`default/${name}`, { uid: `uid-${name}`, marked: false, terminating: false });
  const body = [aHeartbeat(start), ...names.flatMap((name) => [upserted(aClaim(name, name)), upserted(aPod(name))])];
  await world.deliver({ stage: 'ingest', at: start, body });
  await world.deliver({ stage: 'ingest', at: start, body: [upserted(rule)] });
  await world.runUntil(start + 60_000);
}
