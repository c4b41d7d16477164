// One cluster in memory with a manual clock: merges changes, evaluates pods, plans ledgers and carries out due evictions.
import { ruleCondition } from '../../lib/decide/condition.ts';
import { evaluatePod, isCounted, preview } from '../../lib/decide/evaluate.ts';
import { formatCancellation, formatEviction } from '../../lib/decide/eventText.ts';
import { planLedger } from '../../lib/decide/plan.ts';
import { hearGone, hearShown, versionText } from '../../lib/mirror/order.ts';
import type { Ledger } from '../../lib/model/eviction.ts';
import type { DeviceTaintRule, Pod } from '../../lib/model/objects.ts';
import type { ObjectProjection } from '../../lib/model/projection.ts';
import { type Settings, type Snapshot, snapshotOf, upstreamSettings } from '../../lib/model/snapshot.ts';
import type { RuleCondition } from '../../lib/model/status.ts';
import type { Instant } from '../../lib/model/time.ts';
import { isDue } from '../../lib/model/time.ts';
import type { Verdict } from '../../lib/model/verdict.ts';
import { t0 } from '../support/builders.ts';
import { ApiServerModel } from './apiServerModel.ts';
import type { Event } from './scenario.ts';

/** The interval at which the sweep retries what the API server refuses. */
const sweepPeriod = 60_000;

const reportDelay = 10_000;

interface Entry {
  readonly object: ObjectProjection;
  readonly gone: boolean;
}

export class Driver {
  now: Instant = t0;
  readonly api: ApiServerModel;
  readonly ledgers = new Map<string, Ledger>();
  readonly conditions = new Map<string, RuleCondition[]>();
  readonly messages: string[] = [];
  readonly durations: number[] = [];
  /** Deletions as the watch reports them, in the order of the API server. */
  readonly #told: Event[] = [];
  readonly #objects = new Map<string, Entry>();
  readonly #evicted = new Map<string, number>();
  readonly #reportAt = new Map<string, Instant>();
  readonly #retryAt = new Map<string, Instant>();
  readonly #settings: Settings;
  /** A snapshot without pods, which verdicts do not read. */
  #inputs: Snapshot | undefined;

  constructor(settings: Partial<Settings> = {}, finalized: readonly string[] = []) {
    this.#settings = { ...upstreamSettings, ...settings };
    this.api = new ApiServerModel(finalized, (event) => this.#told.push(event));
  }

  /** A change as the watch reports it: late, twice or in another order. */
  tell({ type, object }: Event): void {
    const key = keyOf(object);
    const stored = this.#objects.get(key);
    const known = stored && {
      uid: stored.object.uid,
      at: versionText(stored.object.resourceVersion),
      mirror: stored.gone ? ('Gone' as const) : ('Live' as const),
    };
    if ((type === 'Remove' ? hearGone : hearShown)(known, object) === 'Stale') return;
    this.#objects.set(key, { object, gone: type === 'Remove' });
    if (object.kind === 'DeviceTaintRule')
      this.#ruleMoved(object, stored?.gone ? undefined : stored?.object, type === 'Remove');
    if (object.kind !== 'Pod') this.#inputs = undefined;
    this.#evaluate(object.kind === 'Pod' ? [key] : this.#objects.keys());
  }

  /** Stores many objects and evaluates once. */
  load(objects: readonly ObjectProjection[]): void {
    for (const object of objects) this.#objects.set(keyOf(object), { object, gone: false });
    for (const object of objects) if (object.kind === 'DeviceTaintRule') this.#ruleMoved(object, undefined, false);
    this.#inputs = undefined;
    this.#evaluate(this.#objects.keys());
  }

  relist(): void {
    for (const { object, gone } of [...this.#objects.values()]) if (!gone) this.tell({ type: 'Put', object });
  }

  #ruleMoved(rule: DeviceTaintRule, before: ObjectProjection | undefined, gone: boolean): void {
    if (gone) {
      this.#reportAt.delete(rule.name);
      this.conditions.delete(rule.uid);
      this.#evicted.delete(rule.uid);
    } else if (before?.kind !== 'DeviceTaintRule' || before.uid !== rule.uid || before.generation !== rule.generation) {
      this.#reportAt.set(rule.name, this.now);
    }
  }

  #evaluate(keys: Iterable<string>): void {
    this.#inputs ??= { ...this.snapshot(), pods: [] };
    for (const key of keys) {
      const entry = this.#objects.get(key);
      if (entry?.object.kind === 'Pod') this.#plan(key, entry.object, entry.gone);
    }
  }

  #plan(key: string, pod: Pod, gone: boolean): void {
    const inputs = this.#inputs ?? this.snapshot();
    const verdict: Verdict = gone ? { kind: 'Keep' } : evaluatePod(pod, inputs);
    // The ledger of an earlier pod of this name ends with that pod.
    if (this.ledgers.get(key)?.podUid !== pod.uid) this.ledgers.delete(key);
    const ledger = this.ledgers.get(key);
    const plan = planLedger({
      pod,
      gone,
      verdict,
      ledger,
      ruleSet: inputs,
      now: this.now,
    });
    if (plan.kind === 'Keep' || plan.kind === 'Unchanged') return;
    this.ledgers.set(key, plan.ledger);
    this.#reportLater(ledger, plan.ledger);
    if (plan.kind !== 'Cancel' || !ledger) return;
    const attempt = this.messages.length;
    this.messages.push(formatCancellation({ pod, ledger, at: this.now, attempt }).message);
  }

  snapshot(): Snapshot {
    const live = [...this.#objects.values()].filter((entry) => !entry.gone).map((entry) => entry.object);
    return snapshotOf({
      pods: live.filter((object) => object.kind === 'Pod'),
      claims: live.filter((object) => object.kind === 'ResourceClaim'),
      slices: live.filter((object) => object.kind === 'ResourceSlice'),
      rules: live.filter((object) => object.kind === 'DeviceTaintRule'),
      settings: this.#settings,
    });
  }

  #reportLater(...ledgers: readonly (Ledger | undefined)[]): void {
    for (const { origin } of ledgers.flatMap((ledger) => ledger?.because ?? [])) {
      if (origin.kind !== 'Rule' || this.#objects.get(`DeviceTaintRule/${origin.name}`)?.gone) continue;
      const asked = this.#reportAt.get(origin.name) ?? Number.POSITIVE_INFINITY;
      this.#reportAt.set(origin.name, Math.min(asked, this.now + reportDelay));
    }
  }

  /** Does everything that is due up to `until`, in the order of time: conditions before evictions, as upstream does. */
  settle(until: Instant): void {
    for (let next = this.nextWork(); next !== undefined && next <= until; next = this.nextWork()) {
      this.now = Math.max(this.now, next);
      for (const [name, at] of [...this.#reportAt]) if (isDue(at, this.now)) this.#report(name);
      for (const key of this.#duePods()) this.#evict(key);
    }
    this.now = Math.max(this.now, until);
  }

  nextWork(): Instant | undefined {
    const times = [...this.#reportAt.values(), ...[...this.ledgers.keys()].flatMap((key) => this.#dueAt(key) ?? [])];
    return times.length === 0 ? undefined : Math.min(...times);
  }

  #duePods(): readonly string[] {
    const due = [...this.ledgers].filter(([key]) => isDue(this.#dueAt(key) ?? Number.POSITIVE_INFINITY, this.now));
    return due.sort(([, a], [, b]) => (a.order < b.order ? -1 : 1)).map(([key]) => key);
  }

  #dueAt(key: string): Instant | undefined {
    const ledger = this.ledgers.get(key);
    if (ledger?.state !== 'Pending') return undefined;
    const due = Math.min(...ledger.listings.map((listing) => listing.dueAt));
    return Math.max(due, this.#retryAt.get(key) ?? due);
  }

  #evict(key: string): void {
    const ledger = this.ledgers.get(key);
    const pod = this.#objects.get(key)?.object;
    if (!ledger || pod?.kind !== 'Pod') return;
    const due = Math.min(...ledger.listings.map((listing) => listing.dueAt));
    const marked = this.api.mark(pod);
    const outcome = marked.kind === 'Marked' ? this.api.delete(pod, this) : marked;
    if (outcome.kind === 'Evicted' || outcome.kind === 'Gone') {
      this.ledgers.set(key, { ...ledger, state: outcome.kind, listings: [] });
      this.#reportLater(ledger);
      if (outcome.kind === 'Evicted') this.#record(pod, ledger, this.now - due);
      if (outcome.kind === 'Evicted' || outcome.why === 'Terminating') this.#count(ledger);
    } else {
      this.#retryAt.set(key, this.now + (outcome.kind === 'RetryLater' ? outcome.after : sweepPeriod));
    }
    for (const event of this.#told.splice(0)) this.tell(event);
  }

  #record(pod: Pod, ledger: Ledger, duration: number): void {
    this.durations.push(duration);
    this.messages.push(formatEviction({ pod, ledger, at: this.now }).message);
  }

  #count(ledger: Ledger): void {
    const uids = ledger.because.flatMap(({ origin }) => (origin.kind === 'Rule' ? [origin.uid] : []));
    for (const uid of new Set(uids)) this.#evicted.set(uid, (this.#evicted.get(uid) ?? 0) + 1);
  }

  #report(name: string): void {
    const rule = this.#objects.get(`DeviceTaintRule/${name}`)?.object;
    this.#reportAt.delete(name);
    if (rule?.kind !== 'DeviceTaintRule') return;
    const written = this.conditions.get(rule.uid) ?? [];
    const previous = written.at(-1);
    const plan = ruleCondition({
      rule,
      pending: this.#pending(rule),
      evicted: this.#evicted.get(rule.uid) ?? 0,
      preview: preview(rule, this.snapshot()),
      ...(previous && { previous }),
      now: this.now,
    });
    if (plan.kind === 'Write') this.conditions.set(rule.uid, [...written, plan.condition]);
    if (plan.kind === 'Throttled') this.#reportAt.set(name, plan.until);
  }

  #pending(rule: DeviceTaintRule): { pods: number; namespaces: number } {
    const pods = [...this.ledgers].flatMap(([key, ledger]) => {
      const pod = this.#objects.get(key)?.object;
      const isListed = ledger.listings.some((listing) => listing.limiter === `rule|${rule.uid}`);
      return isListed && pod?.kind === 'Pod' && isCounted(pod) ? [pod] : [];
    });
    return { pods: pods.length, namespaces: new Set(pods.map((pod) => pod.namespace)).size };
  }
}

function keyOf(object: ObjectProjection): string {
  return 'namespace' in object ? `${object.kind}/${object.namespace}/${object.name}` : `${object.kind}/${object.name}`;
}
