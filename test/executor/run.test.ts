// What the executor refuses to start with, and what it says then.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { runExecutor } from '../../lib/executor/run.ts';

const told = {
  SLUICE_TABLE: 'table',
  SLUICE_CLUSTERS:
    '{"inside":{"endpoint":"https://inside","auth":{"kind":"outbound"}},"prod":{"endpoint":"https://prod","auth":{"kind":"eks","clusterName":"prod"}}}',
  SLUICE_CLUSTER: 'inside',
  SLUICE_EVICT_QUEUE_URL: 'https://sqs/1/Sluice-evict',
  SLUICE_REPORT_QUEUE_URL: 'https://sqs/1/Sluice-report',
  AWS_REGION: 'eu-west-1',
};

async function refused(change: Readonly<Record<string, string>>): Promise<string> {
  const env = { ...told, ...change };
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  return runExecutor({ env, signal: AbortSignal.abort() }).then(
    () => 'started',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}

afterEach(() => vi.unstubAllEnvs());

describe('an executor', () => {
  it.each<[string, Readonly<Record<string, string>>]>([
    ['a cluster that functions reach', { SLUICE_CLUSTER: 'prod' }],
    ['a cluster that is unknown', { SLUICE_CLUSTER: 'other' }],
    ['no queue', { SLUICE_EVICT_QUEUE_URL: '' }],
    ['a port that is none', { SLUICE_HEALTH_PORT: 'eighty' }],
    ['no cluster around it', { KUBECONFIG: '/nowhere/kubeconfig' }],
  ])('does not start with %s', async (_, change) => {
    expect(await refused(change)).toMatchSnapshot();
  });
});
