// Closes evictions after their DELETE, several pods per transaction: ledgers, records, tallies and recent evictions.
import { formatEviction } from '../../decide/eventText.ts';
import type { Milliseconds } from '../../model/time.ts';
import { closeLedger } from '../../state/podRows.ts';
import { talliesAtOnce, tallyWrites } from '../../state/recordRows.ts';
import { askForReports } from '../../steps/announce.ts';
import { wakeAfterCanary } from '../../steps/canary.ts';
import { rulesOf } from '../../steps/evaluatePods.ts';
import type { EvictDependencies, Turn } from '../../steps/step.ts';
import type { Write } from '../../table.ts';
import { type Closed, closedLedger, recordWrites } from './closing.ts';
import { finish } from './finish.ts';
import type { Closer, Closing } from './round.ts';

/** Number of evictions after which a batch is written. */
const batch = 6;

/** Time since the first eviction of a batch after which it is written. */
const longest: Milliseconds = 500;

/** Maximum writes per transaction. */
const mostWrites = 25;

export function createCloser(deps: EvictDependencies, turn: Turn): Closer {
  let open: Closing[] = [];
  let writing: Promise<void> = Promise.resolve();
  const write = (): Promise<void> => {
    const closings = open;
    open = [];
    const before = writing;
    // Batches run one after the other, since they add to the same tallies.
    writing = Promise.allSettled([before]).then(() => closeAll(deps, turn, closings));
    return writing;
  };
  const logged = (error: unknown) =>
    deps.log.error('deleted pods could not be closed; their intents are settled later', {
      cluster: turn.state.cluster,
      why: String(error),
    });
  return {
    async add(closing) {
      open.push(closing);
      if (open.length >= batch) void write().catch(logged);
      else if (open.length === 1)
        void deps.clock
          .sleep(longest)
          .then(() => (open.includes(closing) ? write() : undefined), logged)
          .catch(logged);
    },
    async flush() {
      await (open.length > 0 ? write() : writing);
    },
  };
}

async function closeAll(deps: EvictDependencies, turn: Turn, closings: readonly Closing[]): Promise<void> {
  const at = deps.clock.now();
  // Record Events before the rows are closed: a step that finds a row closed records no Event. The Event's name prevents duplicates.
  await Promise.all(
    closings
      .filter(({ outcome }) => outcome === 'Evicted')
      .map(({ pod, row }) => turn.access.events.record(formatEviction({ pod, ledger: row.ledger, at }))),
  );
  for (const part of partsOf(turn, closings, { now: at, days: deps.recordDays })) {
    const written = part.writes ? (await turn.state.table.transact(part.writes)).kind : 'Lost';
    if (written === 'Written') {
      for (const { row } of part.closings) await wakeAfterCanary(deps, turn.state, row.ledger.token);
      continue;
    }
    for (const one of part.closings) await finish(deps, turn.state, { ...one, ledger: one.row.ledger });
  }
  await askForReports(deps, turn.state, rulesOf(...closings.map(({ row }) => row.ledger)));
}

interface Part {
  readonly closings: readonly Closing[];
  /** Absent where the evictions must be closed one by one. */
  readonly writes?: readonly Write[];
}

function partsOf(turn: Turn, closings: readonly Closing[], at: Closed): readonly Part[] {
  const parts: { closings: Closing[]; writes: Write[] }[] = [];
  const alone: Closing[] = [];
  for (const closing of closings) {
    const own = writesOf(turn, closing, at);
    const last = parts.at(-1);
    const room = mostWrites - tallies(turn, [...(last?.closings ?? []), closing]).length;
    if (!own || tallies(turn, [closing]).length > talliesAtOnce) alone.push(closing);
    else if (last && last.writes.length + own.length <= room) {
      last.closings.push(closing);
      last.writes.push(...own);
    } else parts.push({ closings: [closing], writes: [...own] });
  }
  return [
    ...parts.map((part) => ({ ...part, writes: [...part.writes, ...tallies(turn, part.closings)] })),
    ...(alone.length > 0 ? [{ closings: alone }] : []),
  ];
}

function tallies({ state }: Turn, closings: readonly Closing[]): readonly Write[] {
  const counted = closings.filter(({ outcome }) => outcome !== 'Gone');
  return tallyWrites(
    state,
    counted.map(({ pod, row }) => ({ pod, because: row.ledger.because })),
  );
}

function writesOf({ state }: Turn, closing: Closing, at: Closed): readonly Write[] | undefined {
  const { row, outcome } = closing;
  const closed = closeLedger(state, row, closedLedger(row.ledger, outcome));
  return closed && [...closed, ...recordWrites(state, closing, at)];
}
