// The environment of the functions: every missing or invalid variable is reported at once, with the remedy.
import { describe, expect, it } from 'vitest';
import { environmentNames as names } from '../../lib/contract.ts';
import { EnvironmentError, readEnvironment } from '../../lib/lambda/environment.ts';

const clusters = { prod: { endpoint: 'https://10.0.0.1', auth: { kind: 'eks', clusterName: 'prod' } } };
const good = {
  [names.table]: 'sluice',
  [names.evictQueueUrl]: 'https://sqs.eu-west-1.amazonaws.com/123456789012/Sluice-evict',
  [names.ingestQueues]: JSON.stringify({ 'Sluice-ingest-prod': 'prod' }),
  [names.clusters]: JSON.stringify(clusters),
};
const required = Object.keys(good);

describe('environment variables of functions', () => {
  it('the environment of a function is read completely, with defaults for modes and settings', () => {
    const environment = readEnvironment(good, required);
    expect(environment.table).toBe('sluice');
    expect(environment.ingestQueues).toEqual({ 'Sluice-ingest-prod': 'prod' });
    expect(environment.clusters.prod).toMatchObject({ endpoint: 'https://10.0.0.1', native: 'own', paced: 'own' });
    expect(environment.settings.emptyEffectTolerates).toBe(readEnvironment({}, []).settings.emptyEffectTolerates);
  });

  it('clusters that are too large for a variable are read from a file beside the bundle', () => {
    const files: Record<string, string> = { 'clusters.json': JSON.stringify(clusters) };
    const environment = readEnvironment(
      { ...good, [names.clusters]: 'file:clusters.json' },
      required,
      (name) => files[name] ?? '',
    );
    expect(environment.clusters.prod).toMatchObject({ endpoint: 'https://10.0.0.1' });
  });

  it.each<[string, Record<string, string | undefined>, RegExp]>([
    ['a file that is not there', { [names.clusters]: 'file:none.json' }, /file:none.json cannot be read: ENOENT/],
    ['a missing variable', { [names.table]: undefined }, new RegExp(`${names.table} is not set`)],
    ['an empty variable', { [names.evictQueueUrl]: '' }, new RegExp(`${names.evictQueueUrl} is not set`)],
    ['clusters that are no JSON', { [names.clusters]: '{' }, new RegExp(`${names.clusters}: value: is not JSON`)],
    ['clusters that are a list', { [names.clusters]: '[]' }, new RegExp(`${names.clusters}: value: `)],
    [
      'an API server without TLS',
      { [names.clusters]: JSON.stringify({ prod: { ...clusters.prod, endpoint: 'http://10.0.0.1' } }) },
      new RegExp(`${names.clusters}: prod.endpoint: `),
    ],
    [
      'credentials of an unknown kind',
      { [names.clusters]: JSON.stringify({ prod: { ...clusters.prod, auth: { kind: 'password' } } }) },
      new RegExp(`${names.clusters}: prod.auth.kind: `),
    ],
    [
      'an unknown mode',
      { [names.clusters]: JSON.stringify({ prod: { ...clusters.prod, native: 'maybe' } }) },
      new RegExp(`${names.clusters}: prod.native: `),
    ],
    ['an unknown setting', { [names.settings]: '{"evictAll":true}' }, /evictAll/],
  ])('an environment with %s is refused with the problem and the remedy', (_, change, says) => {
    const broken = () => readEnvironment({ ...good, ...change }, required);
    expect(broken).toThrow(EnvironmentError);
    expect(broken).toThrow(says);
    expect(broken).toThrow(/deploy it again/);
  });

  it('an environment with several problems is refused with all of them at once', () => {
    expect(() => readEnvironment({ [names.clusters]: 'x' }, required)).toThrow(
      new RegExp([names.table, names.evictQueueUrl, names.ingestQueues, names.clusters].join('[^]*')),
    );
  });
});
