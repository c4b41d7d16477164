// Detects whether an in-tree controller acts on native taints: by its traces, or else by a probe.
import type { Clock } from '../../ports.ts';
import type { ApiClient } from './apiClient.ts';
import { findInTreeController, type Ownership } from './ownership.ts';
import { probeInTreeController } from './probe.ts';

/** Takes ten seconds if there is no controller. An idle controller leaves no traces, so their absence is not sufficient. */
export async function detectOwner(client: ApiClient, clock: Clock): Promise<Ownership> {
  const traces = await findInTreeController(client, clock.now());
  return traces.kind === 'NotSeen' ? probeInTreeController(client, clock) : traces;
}
