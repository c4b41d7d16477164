// Lists below the cards: completed rules, and last evicted pods with reasons.
import { type Markup, markup } from './markup.ts';
import type { ClusterProgress, LastEviction, LimiterProgress } from './progress.ts';
import { stateLabel } from './stateLabel.ts';
import { clockText, countText, numberText } from './words.ts';

const finishedShown = 8;

export function renderFinished(limiters: readonly LimiterProgress[]): Markup | undefined {
  if (limiters.length === 0) return undefined;
  const rest = limiters.slice(finishedShown);
  return markup`<section class="panel" aria-labelledby="finished"><h2 id="finished">Other rules</h2><table><thead><tr><th scope="col">Name</th><th scope="col">State</th><th scope="col">Taint</th><th scope="col">Devices</th><th scope="col">Last delete</th><th scope="col" class="number">Evicted</th></tr></thead><tbody>
${limiters.slice(0, finishedShown).map(finishedRow)}</tbody></table>${rest.length > 0 && markup`<p class="more">and ${countText(rest.length, 'more rule')} with ${countText(sum(rest), 'evicted pod')}</p>`}</section>`;
}

function finishedRow(limiter: LimiterProgress): Markup {
  const { name, taint, place, heldBecause, selector, counts, kept, lastEvictionAt } = limiter;
  return markup`<tr><th scope="row" data-label="Name">${name}</th><td data-label="State">${stateLabel(limiter)}${heldBecause !== undefined && markup`<small>${heldBecause}</small>`}</td><td data-label="Taint"><code>${taint}</code><small>in ${place}</small></td><td data-label="Devices">${selector || '–'}</td><td data-label="Last delete">${lastEvictionAt === undefined ? '–' : clockText(lastEvictionAt)}</td><td data-label="Evicted" class="number">${kept !== undefined && kept > 0 && markup`<small>${numberText(kept)} kept </small>`}${numberText(counts.evicted)}</td></tr>`;
}

function sum(limiters: readonly LimiterProgress[]): number {
  return limiters.reduce((all, { counts }) => all + counts.evicted, 0);
}

const lastShown = 12;

/** Renders a pod name: a link in the console, text in a widget. */
export type PodName = (pod: Pick<LastEviction['pod'], 'namespace' | 'name'>) => Markup;

export const plainPodName: PodName = ({ namespace, name }) =>
  markup`<span class="namespace">${namespace}/</span>${name}`;

export function renderLastEvictions({ last }: ClusterProgress, podName = plainPodName): Markup | undefined {
  if (last.length === 0) return undefined;
  return markup`<section class="panel" aria-labelledby="last"><h2 id="last">Last evictions</h2><table class="evictions"><thead><tr><th scope="col">Time, UTC</th><th scope="col">Pod</th><th scope="col">Node</th><th scope="col">Why</th><th scope="col">Device</th><th scope="col">Outcome</th></tr></thead><tbody>
${last.slice(0, lastShown).map((one) => evictionRow(one, podName))}</tbody></table></section>`;
}

function evictionRow(eviction: LastEviction, podName: PodName): Markup {
  const { pod, node, at, outcome, source, taint, device, moreReasons } = eviction;
  return markup`<tr><td data-label="Time"><time>${clockText(at)}</time></td><th scope="row" data-label="Pod">${podName(pod)}</th><td data-label="Node">${node ?? '–'}</td><td data-label="Why">${source}<code>${taint}</code>${moreReasons > 0 && markup`<small>and ${countText(moreReasons, 'more reason')}</small>`}</td><td data-label="Device" class="device">${device}</td><td data-label="Outcome"><span class="outcome ${outcome === 'evicted' ? 'is-evicted' : 'is-other'}">${outcome}</span></td></tr>`;
}
