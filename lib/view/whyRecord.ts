// Describes one eviction record: outcome, reasons, rate, and the response of the API server.
import { describeReason } from '../decide/eventText.ts';
import type { Grounds } from '../decide/grounds.ts';
import { approvalText } from '../model/approvalNote.ts';
import type { Ledger, LimiterId } from '../model/eviction.ts';
import { formatInstant } from '../model/time.ts';
import { describeOrigin, originKey, type Reason } from '../model/verdict.ts';
import type { EvictionRecord } from '../state/readRecord.ts';
import { delayText } from './delayText.ts';

const outcomes = {
  Evicted: 'evicted',
  Gone: 'not evicted: the pod no longer existed',
  OutcomeUnknown: 'deleted; by whom is unknown, because the eviction was interrupted',
  Abandoned: 'kept: its token had expired, or its taint no longer applied',
  Open: 'being deleted, or the eviction was interrupted',
} as const;

export function recordLines(record: EvictionRecord): readonly string[] {
  const { pod, outcome, token, because, request, grounds, why, openedAt, closedAt, dueAt } = record;
  const grace = request?.gracePeriodSeconds;
  return [
    `${pod.namespace}/${pod.name} (${pod.uid}): ${outcomes[outcome]}, ${formatInstant(closedAt ?? openedAt)}`,
    ...reasonLines(record),
    ...(dueAt === undefined ? [] : [`  due ${formatInstant(dueAt)}`]),
    ...(token ? [`  token of ${formatInstant(token.at)}, for ${limiterText(token.limiter, because)}`] : []),
    ...(grounds ? groundLines(grounds) : []),
    ...(grace === undefined ? [] : [`  with a grace period of ${grace} s, as its policy says`]),
    ...answerLines(record),
    ...(why === undefined ? [] : [`  ${why}`]),
  ];
}

/** The rule or slice taint of the limiter; its id where no reason of the record belongs to it. */
export function limiterText(limiter: LimiterId, because: readonly Reason[]): string {
  const reason = because.find((one) => originKey(one) === limiter);
  return reason ? `${describeOrigin(reason.origin)}, taint ${reason.taint.key}:${reason.taint.effect}` : limiter;
}

function answerLines({ answers, attempts = 1 }: EvictionRecord): readonly string[] {
  const { patch, delete: deleted, eviction } = answers ?? {};
  const said = Object.entries({ PATCH: patch, DELETE: deleted, 'POST eviction': eviction }).flatMap(([call, status]) =>
    status === undefined ? [] : [`${call} ${status}`],
  );
  const times = attempts > 1 ? `, attempt ${attempts}` : '';
  return said.length === 0 ? [] : [`  the API server answered ${said.join(', ')}${times}`];
}

function groundLines({ rate, policy, approval = {}, devices, authors = [] }: Grounds): readonly string[] {
  const approved = approvalText(approval);
  const by = policy === undefined ? '' : `, EvictionPolicy ${policy}`;
  return [
    `  at ${rate.perSecond} a second, burst ${rate.burst}${by}`,
    ...(approved === undefined ? [] : [`  after ${approved}`]),
    ...authors.map(
      ({ rule, by: { manager, operation, at } }) =>
        `  ${rule} was last written by ${manager} (${operation}${at === undefined ? '' : `, ${formatInstant(at)}`})`,
    ),
    ...devices.map((one) => `  device ${one.driver}/${one.pool}/${one.device} had ${attributesText(one.attributes)}`),
  ];
}

function attributesText(attributes: Grounds['devices'][number]['attributes']): string {
  return Object.entries(attributes)
    .map(([name, value]) => `${name}=${Object.values(value).join('')}`)
    .join(', ');
}

export function reasonLines({ because, more }: Pick<Ledger, 'because' | 'more'>): readonly string[] {
  return [...because.map(reasonLine), ...(more === undefined ? [] : [`  and ${more} more taints of its devices`])];
}

function reasonLine(reason: Reason): string {
  const { timeAdded } = reason.taint;
  const added = timeAdded === undefined ? '' : `, added ${formatInstant(timeAdded)}`;
  return `  because of ${describeReason(reason)}${added}${delayText(reason)}`;
}
