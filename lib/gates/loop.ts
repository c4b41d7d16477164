// Holds a pod whose owner's replacement pods keep returning to the tainted device, since evicting the pod would not help.
import { ownerOf } from '../decide/group.ts';
import { devicesUnder, loopLimitsOf, roundOf } from '../decide/loop.ts';
import { formatInstant } from '../model/time.ts';
import { admitted, type Counted, type Gate } from './gate.ts';

export const loop: Gate = {
  name: 'loop',
  asks({ pod, ledger }, { policy, limiter }) {
    const owner = ownerOf(pod);
    if (!owner || !loopLimitsOf(policy)) return {};
    return { rounds: { owner, devices: devicesUnder(limiter, ledger.because) } };
  },
  admits({ pod, rounds }, { policy, limiter, now }) {
    const [owner, limits] = [ownerOf(pod), loopLimitsOf(policy)];
    if (!owner || !limits) return admitted;
    const counted: Counted[] = [];
    for (const known of rounds) {
      const round = roundOf(known.times, { limits, createdAt: pod.creationTimestamp, now });
      if (round.kind === 'Loop') {
        const { times, until } = round;
        const message = `Pods of its owner were evicted from device ${known.device} ${times} times and came back; it stays until ${formatInstant(until)}.`;
        const found = { limiter, device: known.device, times, until };
        return { kind: 'Kept', because: { reason: 'Looping', message, until }, loop: found };
      }
      if (round.kind === 'Next')
        counted.push({ kind: 'Round', owner, rounds: { ...known, times: round.times }, window: limits.window });
    }
    return { kind: 'Admitted', counted };
  },
};
