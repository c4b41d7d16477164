// A cluster's rate limit reaches the functions from the properties of the stack.
import { describe, expect, it } from 'vitest';
import { connectionsOf } from '../../infra/environment.ts';
import type { ClusterProps } from '../../infra/props.ts';
import { environmentNames } from '../../lib/contract.ts';
import { readEnvironment } from '../../lib/lambda/environment.ts';

const cluster: ClusterProps = {
  name: 'prod',
  endpoint: 'https://10.0.0.1',
  auth: { kind: 'eks', clusterName: 'prod' },
  native: 'own',
};

const limitIn = (of: ClusterProps) =>
  readEnvironment({ [environmentNames.clusters]: connectionsOf([of], false) }, []).clusters.prod?.maxEvictionsPerSecond;

describe('the limit of a cluster', () => {
  it.each([0, 0.5, 10_000])('a limit of %f evictions per second reaches the functions', (maxEvictionsPerSecond) => {
    expect(limitIn({ ...cluster, maxEvictionsPerSecond })).toBe(maxEvictionsPerSecond);
  });

  it('a cluster without a limit reaches the functions without one', () => {
    expect(limitIn(cluster)).toBeUndefined();
  });

  it.each([-1, 10_001])(
    'a limit of %f evictions per second is refused by a function at its start',
    (maxEvictionsPerSecond) => {
      expect(() => limitIn({ ...cluster, maxEvictionsPerSecond })).toThrow(/prod\.maxEvictionsPerSecond/);
    },
  );
});
