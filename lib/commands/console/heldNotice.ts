// Notices about held rules and policies: what holds, who set that, since when, and the button or command that ends it.
import { writerOf } from '../../adapters/kubernetes/author.ts';
import { conditionsOf } from '../../adapters/kubernetes/projectRule.ts';
import type { Json } from '../../adapters/kubernetes/read.ts';
import { subjectOf, unusableFor, withPolicy } from '../../decide/policy.ts';
import { policyOf, rateHold, writtenRateOf } from '../../decide/rate.ts';
import { managerText } from '../../model/note.ts';
import { ruleLimiter } from '../../model/rule.ts';
import { formatInstant } from '../../model/time.ts';
import { type ActionRequest, hrefOf, type May } from '../../view/console/act.ts';
import type { Notice } from '../../view/console/page.ts';
import { nameOf, uidOf } from '../cluster/objects.ts';
import { approvalWritten } from '../get/policies.ts';
import { findOffer } from '../verbs/approve.ts';
import { beingCounted, heldNow, isCounting, isHeldObject } from './heldNow.ts';
import { endOf } from './policyHolds.ts';
import { rulesIn } from './rulesIn.ts';
import type { ConsoleSource, Progress } from './source.ts';

export function heldObjects({ followed }: ConsoleSource): readonly Json[] {
  if (!followed) return [];
  return [...rulesIn(followed), ...followed.objects('EvictionPolicy')].filter(isHeldObject);
}

/** UIDs of held rules and policies whose pods only their conditions count; none if the state table is not read. */
export function countingObjects(
  { followed }: ConsoleSource,
  held: readonly Json[],
  progress: Progress,
): ReadonlySet<string> {
  if (!followed || progress.kind !== 'Read') return new Set();
  const by = { limiters: progress.progress.limiters, snapshot: followed.picture().snapshot };
  return new Set(held.filter((object) => isCounting(object, by)).map(uidOf));
}

export function heldNotice(
  source: ConsoleSource,
  object: Json,
  by: { readonly may: May; readonly progress: Progress; readonly counting: ReadonlySet<string> },
): readonly Notice[] {
  const { may, progress, counting } = by;
  const held = conditionsOf(object).find(({ type }) => type === 'sluice.dev/Held');
  const isPolicy = object.kind === 'EvictionPolicy';
  const limiters = progress.kind === 'Read' ? progress.progress.limiters : [];
  const now = heldNow(limiters, uidOf(object));
  if (now.kind === 'NotHeld') return [];
  const request: ActionRequest = isPolicy
    ? { action: 'approve', kind: 'policy', name: nameOf(object) }
    : { action: 'approve', kind: 'rule', name: `${object.kind}/${nameOf(object)}` };
  const isOffered = findOffer(object) !== undefined && may(request);
  // With an offered plan, show the message of the condition: it names the plan to approve.
  const message = now.kind === 'Held' && !isOffered ? `${now.why}.` : (held?.message ?? '');
  const said = held?.reason === 'SelectorRefused' && now.kind !== 'Held' ? `${message}. No pod is evicted.` : message;
  const holder = holderOf(source, object, held?.reason ?? '');
  const notice: Notice = {
    kind: 'Held',
    what: `${object.kind} ${nameOf(object)}`,
    why: counting.has(uidOf(object)) ? beingCounted : `${said}${approvedBefore(object)}`,
    ...(holder.by === undefined ? {} : { by: holder.by }),
    ...(held?.lastTransitionTime === undefined ? {} : { since: formatInstant(held.lastTransitionTime) }),
    ...(isOffered ? { end: { label: 'Approve', href: hrefOf(request) } } : endBy(holder, may)),
  };
  return [notice];
}

/** An approval that is there does not end this hold, so it is said who gave it. */
function approvedBefore(object: Json): string {
  const approval = approvalWritten(object);
  return approval === undefined ? '' : ` There is an ${approval}.`;
}

/** The button only for those who may use it; the command tells the others what to ask for. */
function endBy({ command, remove }: Holder, may: May): Pick<Notice, 'end' | 'command'> {
  return {
    ...(command === undefined ? {} : { command }),
    ...(remove && may(remove.request) ? { end: { label: remove.label, href: hrefOf(remove.request) } } : {}),
  };
}

interface Holder {
  /** The object that holds, and the field manager that wrote it; absent if neither adds anything. */
  readonly by?: string;
  /** Absent if an approval ends the hold, or its message says how. */
  readonly command?: string;
  /** The button with the effect of the command. */
  readonly remove?: { readonly label: string; readonly request: ActionRequest };
}

/** `reason`: of the condition Held. */
function holderOf(source: ConsoleSource, object: Json, reason: string): Holder {
  const policy = object.kind === 'EvictionPolicy' ? object : policyOfRule(source, object, reason);
  const kind = String(object.kind).toLowerCase();
  const edit = (name: string) => `kubectl edit ${name}`;
  switch (reason) {
    case 'Canary':
    case 'OutsideWindow': {
      if (!policy) return {};
      const field = reason === 'Canary' ? 'canary' : 'windows';
      const patch = `kubectl patch evictionpolicy ${nameOf(policy)} --type=merge -p '{"spec":{"${field}":null}}'`;
      const request = { action: 'remove', kind: 'policy', name: nameOf(policy), field } as const;
      const remove = { label: endOf[field], request };
      return { ...writtenBy(policy, object, ['spec', field]), command: patch, remove };
    }
    case 'ObserverInDoubt':
    case 'OverLimits':
    case 'AwaitingApproval':
    case 'PlanGrew':
      return writtenBy(policy ?? object, object, ['spec']);
    case 'PolicyUnusable':
    case 'PoliciesContradict':
      return policy
        ? { ...writtenBy(policy, object, ['spec']), command: edit(`evictionpolicy ${nameOf(policy)}`) }
        : {};
    case 'StandsStill': {
      const { of, isRate } = stillBy(source, object, policy);
      const command = edit(`${String(of.kind).toLowerCase()} ${nameOf(of)}`);
      const request = { action: 'rate', kind: 'rule', name: `${object.kind}/${nameOf(object)}` } as const;
      return { ...writtenBy(of, object, ['spec']), command, ...(isRate ? { remove: { label: 'Rate', request } } : {}) };
    }
    case 'SelectorRefused':
    case 'DeviceClassNotFound':
    case 'Expired':
    case 'ExpiryUnreadable':
      return { ...writtenBy(object, object, ['spec']), command: edit(`${kind} ${nameOf(object)}`) };
    default:
      return {};
  }
}

/** The object with the rate, cap or burst of 0 (a policy's burst is at least 1); `isRate`: another rate of the rule ends the hold. */
function stillBy(
  { followed }: ConsoleSource,
  object: Json,
  policy: Json | undefined,
): { readonly of: Json; readonly isRate: boolean } {
  const { rules: all = [], policies = [] } = followed?.picture().snapshot ?? {};
  const rules = all.filter(({ uid }) => uid === uidOf(object)).map((one) => withPolicy(one, policies));
  const still = rules.find((one) => rateHold(one) !== undefined);
  if (!still) return { of: object, isRate: true };
  const { rate, cappedBy } = writtenRateOf(still);
  if (cappedBy !== undefined) return { of: policy ?? object, isRate: false };
  return { of: object, isRate: rate.perSecond === 0 };
}

/** `EvictionPolicy a, written by field manager kubectl`; of the held object itself only its writer, if that is known. */
function writtenBy(holder: Json, held: Json, path: readonly string[]): Pick<Holder, 'by'> {
  const manager = (writerOf(holder, path) ?? writerOf(holder, ['spec']))?.manager;
  if (holder === held) return manager === undefined ? {} : { by: managerText(manager) };
  return {
    by: `${holder.kind} ${nameOf(holder)}${manager === undefined ? '' : `, written by ${managerText(manager)}`}`,
  };
}

/** The EvictionPolicy that paces or holds the first taint of the rule. */
function policyOfRule({ followed }: ConsoleSource, rule: Json, reason: string): Json | undefined {
  if (!followed) return undefined;
  const { snapshot } = followed.picture();
  const [first] = snapshot.rules.filter(({ uid }) => uid === uidOf(rule));
  if (!first) return undefined;
  const policy =
    reason === 'PolicyUnusable'
      ? unusableFor(subjectOf(first), snapshot.policies ?? [])
      : policyOf(ruleLimiter(first), snapshot);
  return policy && followed.objects('EvictionPolicy').find((one) => nameOf(one) === policy.name);
}
