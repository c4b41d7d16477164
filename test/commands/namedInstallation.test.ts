// What the doctor checks is what was named: a name that does not exist, or that it does not read, is never a success.
import { describe, expect, it } from 'vitest';
import { checkNames } from '../../lib/commands/doctorNames.ts';
import { runAlone } from './support/scene.ts';

describe('the doctor', () => {
  it('the doctor refuses a table without its stack, because it would check another installation', async () => {
    expect(await runAlone('doctor', '--table', 'nope', '--region', 'eu-west-1')).toEqual({
      status: 2,
      out: '',
      err: 'error: the doctor checks a stack, and only table nope is given\nspecify its stack: --stack NAME\n',
    });
  });

  it.each([['--stack', 'S'], ['--table', 'T'], ['--cluster', 'prod'], ['--account', '123456789012'], ['--drift']])(
    'the doctor of a kubeconfig refuses %s, which it does not read',
    async (option, ...value) => {
      expect(await runAlone('doctor', '--kubeconfig', 'file', option, ...value)).toEqual({
        status: 2,
        out: '',
        err: `error: ${option} has no effect: the cluster of a kubeconfig is checked\nomit ${option}, or omit --kubeconfig and --context\n`,
      });
    },
  );

  const cluster = (name: string) => ({ name, endpoint: 'https://a', withoutAccess: [] });
  const facts = {
    stack: 'S',
    table: {
      kind: 'Found',
      value: { name: 'T', status: 'ACTIVE', timeToLive: 'ENABLED', pointInTimeRecovery: 'ENABLED' },
    },
    clusters: [cluster('prod'), cluster('test')],
  } as const;

  it('the doctor checks only the cluster that is named', () => {
    expect(checkNames(facts, { cluster: 'prod', table: 'T' })).toEqual({ clusters: [facts.clusters[0]], findings: [] });
    expect(checkNames(facts, {})).toEqual({ clusters: facts.clusters, findings: [] });
  });

  it('a cluster or table that the stack does not have is a problem, with the nearest name', () => {
    expect(checkNames(facts, { cluster: 'prdo', table: 'nope' })).toEqual({
      clusters: [],
      findings: [
        {
          kind: 'Problem',
          subject: 'table nope',
          text: 'the table of stack S is T',
          remedy: 'omit --table, or name another stack by --stack',
        },
        {
          kind: 'Problem',
          subject: 'cluster prdo',
          text: 'stack S has no such cluster',
          remedy: 'did you mean prod? see: sluice get clusters',
        },
      ],
    });
  });
});
