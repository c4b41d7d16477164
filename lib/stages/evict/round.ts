// The state of one invocation while it holds a limiter's lease.
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
  /** At most 250 ms old. `at`: when the oldest of them was read. */
  readonly facts: () => Promise<Known>;
  /** The facts of any age that were read last; only to read ahead. */
  readonly lastFacts: () => Known | undefined;
  /** Call when a message asked for another look: drops cached facts and back-offs. */
  readonly lookAgain: () => void;
  /** Canary permits that pods of this round are about to take. */
  readonly seats: Set<number>;
  /** Scopes (`scopeKey`) with no free place in flight, and when to check them again. */
  readonly full: Map<string, Instant>;
  /** Pods with an intent that wait for another token, before any pod without one. */
  readonly delayed: Set<Uid>;
  /** Pods that could not be evicted: until when to skip each, and how often that has happened. */
  readonly passedOver: Map<Uid, { readonly until: Instant; readonly times: number }>;
}

export interface Known {
  readonly facts: LimiterFacts;
  readonly at: Instant;
  /** Rules and modes, as in the table. */
  readonly ruleSet: Current;
  /** Generation of the limiter's rule. */
  readonly epoch: number;
  /** Name of the limiter's bucket. */
  readonly bucketName: string;
}

/** Claim rows, read together with the pods that name them. */
export type ClaimRows = Promise<readonly ObjectRow<ResourceClaim>[]>;

/** A pod row with a ledger, as the gates need it. */
export type AskedRow = PodRow & { readonly ledger: Ledger };

/** A pod whose intent is written. */
export type BegunRow = PodRow & { readonly ledger: Ledger & { readonly token: Token } };

export type NextToken =
  | { readonly kind: 'Token'; readonly token: Token }
  /** The next token becomes available at `at`. */
  | { readonly kind: 'Later'; readonly at: Instant }
  | { readonly kind: 'Never' };

export interface TokenSource {
  /** `wanted`: number of tokens that the caller can use. `known` is called when it is this caller's turn. */
  next(known: () => Promise<Known>, wanted: number): Promise<NextToken>;
  /** Returns a token that its pod did not need, for the next pod. */
  giveBack(token: Token): void;
  /** Puts unused tokens back into the bucket, so that an edit of the rate is not charged for them. */
  returnUnused(): Promise<void>;
}

export interface Closing {
  readonly pod: PodRef;
  readonly row: BegunRow;
  readonly outcome: 'Evicted' | 'Gone' | 'OutcomeUnknown';
  readonly answers: ApiAnswers;
  /** The token that was used in the end, if it differs from the token of the intent. */
  readonly token?: Token;
}

export interface Closer {
  add(closing: Closing): Promise<void>;
  /** Closes everything that was added; throws where something could not be closed, which is then settled later. */
  flush(): Promise<void>;
}
