// Limits evictions in flight per controller of the pods.
import { inFlightGate } from './inFlight.ts';

export const maxPerWorkload = inFlightGate({
  name: 'maxPerWorkload',
  scopesOf: ({ pod }) => (pod.controller ? [{ kind: 'Workload', of: pod.controller.uid }] : []),
  podsIn: (census, { of }) => census.byWorkload.get(of),
  words: ({ of }) => `controller ${of}`,
});
