// Limits evictions in flight per node.
import { inFlightGate } from './inFlight.ts';

export const maxPerNode = inFlightGate({
  name: 'maxPerNode',
  scopesOf: ({ pod }) => (pod.nodeName ? [{ kind: 'Node', of: pod.nodeName }] : []),
  podsIn: (census, { of }) => census.byNode.get(of),
  words: ({ of }) => `node ${of}`,
});
