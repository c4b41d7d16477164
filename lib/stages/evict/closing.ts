// The writes that close one eviction, alone or in a batch.
import type { ApiAnswers, Ledger } from '../../model/eviction.ts';
import type { Instant } from '../../model/time.ts';
import { recentWrite } from '../../state/recentRows.ts';
import { closeRecord } from '../../state/recordRows.ts';
import type { State } from '../../state/state.ts';
import { unseat } from '../../steps/canary.ts';
import type { Write } from '../../table.ts';
import type { Closing } from './round.ts';

/** When the eviction was closed, and for how many days its record is kept. */
export interface Closed {
  readonly now: Instant;
  readonly days: number;
}

/** All closing writes except ledger and tallies. */
export function recordWrites(
  state: State,
  by: Omit<Closing, 'row' | 'outcome' | 'answers'> & {
    readonly row: {
      readonly ledger: Pick<Ledger, 'because' | 'token'>;
      readonly object?: { readonly nodeName?: string };
    };
    readonly outcome: Closing['outcome'];
    readonly answers?: ApiAnswers;
    readonly why?: string;
    readonly openedAt?: Instant;
    readonly tallied?: number;
  },
  { now, days }: Closed,
): readonly Write[] {
  const { pod, row, outcome, ...rest } = by;
  const { token } = row.ledger;
  const node = row.object?.nodeName;
  return [
    ...closeRecord(state, pod, { ...rest, outcome, now }),
    recentWrite(
      state,
      { ...pod, ...(node === undefined ? {} : { nodeName: node }) },
      { ledger: row.ledger, outcome, now, days },
    ),
    ...unseat(state, token, { uid: pod.uid, deleted: outcome !== 'Gone', now }),
  ];
}

export function closedLedger(ledger: Ledger, outcome: Closing['outcome']): Ledger {
  const { token: _, leaseUntil: __, request: ___, ...rest } = ledger;
  return { ...rest, state: outcome === 'Evicted' ? 'Evicted' : 'Gone' };
}
