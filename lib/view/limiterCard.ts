// Card of one active rule: taint, progress, rate and estimated finish.
import { type Markup, markup } from './markup.ts';
import { paceText } from './pace.ts';
import type { LimiterProgress } from './progress.ts';
import { heldSentence, stateLabel } from './stateLabel.ts';
import { renderProgressBar, renderRateChart } from './svg.ts';
import { clockText, countText, durationText, numberText, percentDone } from './words.ts';

/** `tools`: links to actions; absent in a widget. */
export function renderLimiterCard(limiter: LimiterProgress, now: number, tools?: Markup): Markup {
  const { counts, total } = limiter;
  return markup`<article class="card"><div><div class="card-head"><h2 title="${limiter.name}">${limiter.name}</h2>${stateLabel(limiter)}</div>
<p class="what"><code class="taint">${limiter.taint}</code> <span>in ${limiter.place}${limiter.selector !== '' && `, on ${limiter.selector}`}</span></p>
<p class="share"><b>${percentDone(counts.evicted, total)} %</b><span>${numberText(counts.evicted)} of ${limiter.isPartial ? 'more than ' : ''}${countText(total, 'pod')} evicted</span></p>
${renderProgressBar(limiter)}
<ul class="legend">${legend(limiter)}</ul>
${limiter.heldBecause !== undefined && markup`<p class="held"><span>${heldSentence(limiter.heldBecause)}.</span></p>`}
${isNew(limiter) ? markup`<p>Its rate and its pods are shown once it is evaluated.</p>` : markup`<dl class="facts">${facts(limiter, now)}</dl>`}${tools}</div>
${!isNew(limiter) && markup`<figure class="${limiter.perSecond.every((count) => count === 0) && 'is-idle'}">${renderRateChart(limiter)}<figcaption>Deletes per second; the dashed line is the rate. A burst of ${countText(limiter.rate.burst, 'pod')} may be evicted at once.</figcaption></figure>`}</article>`;
}

/** Its numbers are all 0, because it is not evaluated yet. */
function isNew({ state, isEvaluating }: LimiterProgress): boolean {
  return isEvaluating && state === 'NotStarted';
}

function legend({ counts }: LimiterProgress): readonly Markup[] {
  const entries = [
    ['evicted', counts.evicted, 'evicted'],
    ['deleting', counts.deleting, 'deleting'],
    ['pending', counts.pending, 'pending'],
    ['waiting', counts.waiting, 'waiting'],
  ] as const;
  return entries
    .filter(([, count]) => count > 0)
    .map(
      ([name, count, label]) =>
        markup`<li><i class="key ${name}" aria-hidden="true"></i>${numberText(count)} ${label}</li>`,
    );
}

function facts(limiter: LimiterProgress, now: number): readonly Markup[] {
  const { rate, tokens, nextAt, finishAt, perSecond, isSlowed } = limiter;
  const { pace, note } = paceText(perSecond, rate);
  const fact = (label: string, value: string, more: string) =>
    markup`<div><dt>${label}</dt><dd>${value}<small>${more}</small></dd></div>`;
  return [
    fact('Rate', pace, `of ${numberText(rate.perSecond)}/s${note}`),
    fact('Tokens', tokens === undefined ? '–' : numberText(tokens), `of burst ${numberText(rate.burst)}`),
    nextAt === undefined
      ? fact('Next pod', '–', 'none planned')
      : fact('Next pod', nextAt <= now ? 'now' : durationText(nextAt - now), `at ${clockText(nextAt)}`),
    finishAt === undefined
      ? fact('Time left', '–', 'not known')
      : fact(
          'Time left',
          `${limiter.isPartial ? 'over ' : ''}${durationText(finishAt - now)}`,
          `${isSlowed ? 'at this pace, ' : ''}until ${clockText(finishAt)} UTC`,
        ),
  ];
}
