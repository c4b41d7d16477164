// Holds every pod of a paused namespace.
import { namespaceHold } from '../decide/hold.ts';
import { admitted, type Gate } from './gate.ts';

export const pausedNamespace: Gate = {
  name: 'pausedNamespace',
  admits({ namespace }) {
    const because = namespaceHold(namespace);
    return because ? { kind: 'Kept', because } : admitted;
  },
};
