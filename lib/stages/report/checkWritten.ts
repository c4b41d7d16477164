// Handles the API server's answer to a status write.
import type { StatusWritten } from '../../ports.ts';
import type { State } from '../../state/state.ts';
import type { StepDependencies } from '../../steps/step.ts';

/**
 * Throws where the message must be redelivered. A refusal is counted and logged, because only an operator can fix it; an object
 * that is gone needs no status. If other controllers use up the conditions that the API allows, that is only logged; its pods are evicted anyway.
 * `object`: kind and name.
 */
export function checkWritten(
  deps: Pick<StepDependencies, 'metrics' | 'log'>,
  { cluster }: Pick<State, 'cluster'>,
  { object, written }: { readonly object: string; readonly written: StatusWritten },
): void {
  if (written.kind === 'RetryLater') throw new Error(`${object}: ${written.why}`);
  if (written.kind === 'Full') deps.log.warn('no room for a condition', { cluster, object, why: written.why });
  if (written.kind !== 'Refused') return;
  deps.metrics.add('EvictionsRefused', 1, cluster);
  deps.log.error('status refused', { cluster, object, why: written.why });
}
