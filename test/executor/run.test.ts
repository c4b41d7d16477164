// Configurations with which the executor refuses to start, and the errors that it reports.
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

describe('the start of an executor', () => {
  it.each<[string, Readonly<Record<string, string>>]>([
    ['a cluster that the functions reach', { SLUICE_CLUSTER: 'prod' }],
    ['an unknown cluster', { SLUICE_CLUSTER: 'other' }],
    ['no queue', { SLUICE_EVICT_QUEUE_URL: '' }],
    ['an invalid port', { SLUICE_HEALTH_PORT: 'eighty' }],
    ['an unreadable kubeconfig', { KUBECONFIG: '/nowhere/kubeconfig' }],
  ])('an executor does not start with %s', async (_, change) => {
    expect(await refused(change)).toMatchSnapshot();
  });
});
