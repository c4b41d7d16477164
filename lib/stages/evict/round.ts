// What one invocation works with while it holds a limiter's lease.
import type { LimiterFacts } from '../../gates/gate.ts';
import type { ApiAnswers, Ledger, LimiterId, Token } from '../../model/eviction.ts';
import type { PodRef, Uid } from '../../model/identity.ts';
import type { ResourceClaim } from '../../model/objects.ts';
import type { Instant } from '../../model/time.ts';
import type { Current } from '../../state/currentRules.ts';
import type { PodRow } from '../../state/podRows.ts';
import type { ObjectRow } from '../../state/state.ts';
import type { EvictDependencies, Turn } from '../../steps/step.ts';
import type { Retries } from './retries.ts';

export interface Round {
  readonly deps: EvictDependencies;
  readonly turn: Turn;
  readonly limiter: LimiterId;
  readonly tokens: TokenSource;
  readonly closer: Closer;
  readonly retries: Retries;
  /** At most a quarter of a second old. `at`: what was read may have changed since. */
  readonly facts: () => Promise<Known>;
  /** A message asked for another look: what is remembered does not count. */
  readonly lookAgain: () => void;
  /** Permits of the canary that its pods are about to take. */
  readonly seats: Set<number>;
  /** Scopes (`scopeKey`) in which as many evictions are in flight as may be; looked at again then. */
  readonly full: Map<string, Instant>;
  /** Pods that were looked at in vain: not before, after so many times. */
  readonly passedOver: Map<Uid, { readonly until: Instant; readonly times: number }>;
}

export interface Known {
  readonly facts: LimiterFacts;
  readonly at: Instant;
  /** What the table has of rules and modes. */
  readonly ruleSet: Current;
  /** Generation of the limiter's rule. */
  readonly epoch: number;
  /** Under which its bucket is kept. */
  readonly bucketName: string;
}

/** Rows of claims, read with the pods that name them. */
export type ClaimRows = Promise<readonly ObjectRow<ResourceClaim>[]>;

/** A pod that is asked about. */
export type AskedRow = PodRow & { readonly ledger: Ledger };

/** A pod whose intent is written. */
export type BegunRow = PodRow & { readonly ledger: Ledger & { readonly token: Token } };

export type NextToken =
  | { readonly kind: 'Token'; readonly token: Token }
  /** The next one comes then. */
  | { readonly kind: 'Later'; readonly at: Instant }
  | { readonly kind: 'Never' };

export interface TokenSource {
  /** `wanted`: for how many there is use. `known` is asked once it is this one's turn. */
  next(known: () => Promise<Known>, wanted: number): Promise<NextToken>;
  /** A token that its pod did not need is for the next one. */
  giveBack(token: Token): void;
  /** Puts back what was taken and is not needed, so that an edit of the rate is not charged for it. */
  returnUnused(): Promise<void>;
}

export interface Closing {
  readonly pod: PodRef;
  readonly row: BegunRow;
  readonly outcome: 'Evicted' | 'Gone' | 'OutcomeUnknown';
  readonly answers: ApiAnswers;
  /** The token that was used in the end, where it is not the one of the intent. */
  readonly token?: Token;
}

export interface Closer {
  add(closing: Closing): Promise<void>;
  /** Everything that was added; throws where something could not be closed, which is then settled later. */
  flush(): Promise<void>;
}
