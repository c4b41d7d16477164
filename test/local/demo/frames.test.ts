// What a frame of the demo shows while the numbers of the state table, which are read over some time, and the fleet are moments apart.
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { type FleetMoment, momentFor } from '../../../lib/local/demo/fleetMoments.ts';
import { createFrames, type FrameRead } from '../../../lib/local/demo/frames.ts';
import { renderScreen } from '../../../lib/view/screen.ts';
import type { FleetSnapshot } from '../../../lib/view/screenSnapshot.ts';
import { aLimiter, aPicture } from '../../view/pictures.ts';

const plain = { width: 199, height: 59, color: false } as const;

function fleetWith(tainted: number): FleetSnapshot {
  const devices = Array.from({ length: 40 }, (_, i) => (i < tainted ? ('ToEvict' as const) : ('InUse' as const)));
  return { nodes: [{ name: 'gpu-01', group: 'gpu.example.com', devices }], teams: [] };
}

interface Step {
  readonly at: number;
  /** Pods on tainted devices, and those of them that Sluice has evaluated. */
  readonly tainted: number;
  readonly evaluated: number;
  readonly stops?: string;
  readonly isEvaluating?: boolean;
}

function readOf(
  { at, tainted, evaluated, stops = '', isEvaluating = false }: Step,
  moments: FleetMoment<number>[],
): FrameRead {
  moments.push({ at, deleted: 0, affected: tainted, fleet: tainted });
  const found = momentFor(moments, { deleted: 0, affected: evaluated });
  const pods = { deleting: 0, pending: evaluated, waiting: 0 };
  const limiters = [aLimiter({ counts: { evicted: 0, ...pods }, total: evaluated, isEvaluating })];
  return {
    progress: aPicture({ at, pods, limiters, recent: { evicted: 0, window: 600_000, isPartial: false } }),
    fleet: fleetWith(found?.moment.fleet ?? 0),
    agrees: found?.agrees ?? false,
    chapter: { act: 1, title: 'A bad driver version', watch: `evaluated ${evaluated}` },
    stops,
  };
}

/** The numbers of one frame as a person reads them. */
function framesOf(history: readonly Step[]) {
  const [frames, moments] = [createFrames(), [] as FleetMoment<number>[]];
  return history.map((step) => {
    const shown = frames(readOf(step, moments));
    const text = renderScreen({ ...shown, at: shown.progress.at, footer: [] }, plain).join('\n');
    const numberIn = (pattern: RegExp) => {
      const found = pattern.exec(text)?.[1];
      return found === undefined ? undefined : Number(found);
    };
    return {
      pending: numberIn(/· (\d+) pending/),
      tainted: numberIn(/▲ (\d+) tainted in use/),
      said: numberIn(/evaluated (\d+)/),
      isCounting: text.includes('(counting)'),
    };
  });
}

it('no frame at the beginning of a rule on a busy machine has pods to go beside a fleet without tainted devices', () => {
  const history = [0, 1, 2, 3, 4, 5].map((second) => ({
    at: second * 1000,
    tainted: second === 0 ? 0 : 31,
    evaluated: [0, 0, 12, 30, 30, 31][second] ?? 0,
  }));
  expect(framesOf(history)).toEqual([
    { pending: 0, tainted: 0, said: 0, isCounting: false },
    { pending: 0, tainted: 0, said: 0, isCounting: false },
    { pending: 12, tainted: undefined, said: 12, isCounting: true },
    { pending: 30, tainted: undefined, said: 30, isCounting: true },
    { pending: 30, tainted: undefined, said: 30, isCounting: true },
    { pending: 31, tainted: 31, said: 31, isCounting: false },
  ]);
});

it('the numbers, the fleet and the sentence of every frame are of one moment, or the fleet is being counted', () => {
  const step = fc.record({
    after: fc.nat({ max: 3000 }),
    tainted: fc.nat({ max: 40 }),
    evaluated: fc.nat({ max: 40 }),
  });
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) => {
      let at = 0;
      const history = steps.map(({ after, ...rest }) => {
        at += after;
        return { at, isEvaluating: true, ...rest };
      });
      for (const { pending, tainted, said, isCounting } of framesOf(history)) {
        expect(said).toBe(pending);
        expect(tainted).toBe(isCounting ? undefined : pending);
      }
    }),
  );
});

it('a frame is at most 800 ms older than the numbers that are read', () => {
  const frames = createFrames();
  const moments: FleetMoment<number>[] = [];
  const ages = [0, 300, 700, 900, 1500, 1900].map((at) => {
    const { progress } = frames(readOf({ at, tainted: at === 0 ? 0 : 31, evaluated: at === 0 ? 0 : 12 }, moments));
    return at - progress.at;
  });
  expect(ages).toEqual([0, 300, 700, 0, 0, 0]);
});

it('a stop shows in the next frame, even while numbers and fleet are moments apart', () => {
  const [first, second] = framesOf([
    { at: 0, tainted: 30, evaluated: 30 },
    { at: 400, tainted: 20, evaluated: 25, stops: 'EvictionStop by-key' },
  ]);
  expect(first).toMatchObject({ pending: 30, isCounting: false });
  expect(second).toMatchObject({ pending: 25, isCounting: true });
});

it('a fleet with pods that tolerate a taint is counted again after 15 seconds, once every rule is evaluated', () => {
  const disagreeing = { tainted: 30, evaluated: 20 };
  const frames = framesOf([
    { at: 0, ...disagreeing },
    { at: 14_999, ...disagreeing },
    { at: 15_000, ...disagreeing, isEvaluating: true },
    { at: 15_000, ...disagreeing },
  ]);
  expect(frames.map(({ isCounting }) => isCounting)).toEqual([true, true, true, false]);
});
