// Finds out whether an in-tree controller acts on native taints: by its traces, and where there are none by a probe.
import type { Clock } from '../../ports.ts';
import type { ApiClient } from './apiClient.ts';
import { findInTreeController, type Ownership } from './ownership.ts';
import { probeInTreeController } from './probe.ts';

/** Takes ten seconds where there is no answer. A controller that has had nothing to do leaves no trace, so the absence of traces is not enough. */
export async function detectOwner(client: ApiClient, clock: Clock): Promise<Ownership> {
  const traces = await findInTreeController(client, clock.now());
  return traces.kind === 'NotSeen' ? probeInTreeController(client, clock) : traces;
}
