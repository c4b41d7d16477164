// A limiter whose rate was changed, or whose rule was edited: slots that were given before are void, and are given anew at the new pace.
import { epochsOf } from '../decide/epoch.ts';
import { paceText, type RuleSet } from '../decide/rate.ts';
import type { Ledger, LimiterId } from '../model/eviction.ts';
import { farFuture, type Instant } from '../model/time.ts';
import { changePace } from '../state/bucketRows.ts';
import { type Paced, readReserved } from '../state/limiterRows.ts';
import { type PodRow, readPods, writeLedger } from '../state/podRows.ts';
import type { State } from '../state/state.ts';
import { mapParallel } from './mapParallel.ts';
import type { StepDependencies } from './step.ts';

/** Slots nearer than this are left to the evictor, which voids them itself: it may be at work on them. */
const nearAhead = 1000;

/** Pods whose slots are taken back in one go; what is left over is voided when its slot comes. */
const most = 2000;

const parallelWrites = 8;

/** Under the limiter's lease. Answers the pace that is noted now. */
export async function repace(
  deps: StepDependencies,
  state: State,
  by: {
    readonly limiter: LimiterId;
    readonly known: Paced;
    readonly ruleSet: RuleSet;
    readonly now: Instant;
  },
): Promise<Paced> {
  const { limiter, ruleSet, now } = by;
  const known = by.known.pace;
  const epoch = epochsOf(ruleSet.rules)(limiter);
  const pace = paceText(limiter, ruleSet);
  const current = `${epoch}|${pace}`;
  if (known === current) return by.known;
  await changePace(state, limiter, { from: known, to: current, now });
  const paced = { pace: current, series: by.known.series + 1 };
  if (known === undefined) return paced;
  const listed = await readReserved(state, limiter, { upTo: farFuture, limit: most });
  const rows = await readPods(
    state,
    listed.map((one) => one.pod),
  );
  const isVoid = ({ ledger }: PodRow) => {
    const reservation = ledger?.state === 'Reserved' ? ledger.reservation : undefined;
    if (reservation?.limiter !== limiter || reservation.slot <= now + nearAhead) return false;
    return reservation.epoch !== epoch || reservation.pace !== pace;
  };
  const voided = rows.filter(isVoid);
  await mapParallel(voided, parallelWrites, (row) => writeLedger(state, row, { ledger: withoutSlot(row), now }));
  deps.metrics.add('SlotsVoided', voided.length, state.cluster);
  return paced;
}

function withoutSlot({ ledger }: PodRow): Ledger | undefined {
  if (!ledger) return undefined;
  const { reservation: _, ...rest } = ledger;
  return { ...rest, state: 'Pending' };
}
