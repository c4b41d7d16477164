// Clusters configured in the environment of the functions.
import type { ClusterConnection } from '../contract.ts';
import { environmentNames as names } from '../contract.ts';
import { EnvironmentError, readEnvironment } from '../lambda/environment.ts';
import type { FunctionFacts } from './facts.ts';

/** Reads evict's environment: only functions that call API servers have the CAs. */
export function clustersOf(functions: readonly FunctionFacts[]): {
  readonly clusters: Readonly<Record<string, ClusterConnection>>;
  readonly problem?: string;
} {
  const evict = functions.find(({ output }) => output.startsWith('Evict'));
  if (!evict) return { clusters: {} };
  try {
    return { clusters: readEnvironment(evict.environment, [names.table, names.clusters]).clusters };
  } catch (error) {
    if (error instanceof EnvironmentError) return { clusters: {}, problem: `${evict.name}: ${error.message}` };
    throw error;
  }
}
