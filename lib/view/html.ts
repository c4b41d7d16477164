// HTML about the evictions of one cluster for a CloudWatch widget, and parts shared with the console.
import { allOwned, type Mode } from '../model/ownership.ts';
import { renderLimiterCard } from './limiterCard.ts';
import { renderFinished, renderLastEvictions } from './lists.ts';
import { logo } from './logo.ts';
import { htmlOf, type Markup, markup } from './markup.ts';
import { widgetStyle } from './pageStyle.ts';
import { renderPlans } from './plans.ts';
import type { ClusterProgress, LimiterProgress } from './progress.ts';
import { isMoving } from './stateLabel.ts';
import { agoText, clockText, countText, durationText, modesText, numberText } from './words.ts';

/** The content that changes, without style and script. */
export function renderFragment(progress: ClusterProgress, look = 'sluice'): string {
  const moving = progress.limiters.filter(isMoving);
  const finished = progress.limiters.filter((one) => !isMoving(one));
  const body = markup`<div class="${look}">
${renderHeader(progress)}
${renderNotice(progress)}${renderRefused(progress)}
${renderAnswers(progress)}
${renderTiles(progress)}
<main>
${moving.length > 0 ? markup`<section aria-label="Evictions in progress" class="cards">${moving.map((one) => renderLimiterCard(one, progress.at))}</section>` : renderEmpty(progress)}
${renderPlans(progress)}
${renderFinished(finished)}
${renderLastEvictions(progress)}
</main>
</div>`;
  return htmlOf(body);
}

/** Fragment and style for a CloudWatch dashboard, without script and without CloudWatch's default styles. */
export function renderWidget(progress: ClusterProgress, theme: 'light' | 'dark' = 'light'): string {
  const look = `sluice cwdb-no-default-styles${theme === 'dark' ? ' dark' : ''}`;
  return `<style>${widgetStyle}</style>${renderFragment(progress, look)}`;
}

function renderHeader({ cluster, at, watcher, modes = allOwned }: ClusterProgress): Markup {
  return markup`<header><div class="brand">${logo}<div><h1>Sluice</h1><p class="cluster">cluster <b>${cluster}</b></p></div></div>
<div class="status">${modesText(modes) !== '' && markup`<span class="pill warn">${modesText(modes)}</span>`}<span class="pill ${watcher.isAlive ? 'good' : 'bad'}"><i class="dot" aria-hidden="true"></i>${watcherText(watcher)}</span><time class="clock">${clockText(at)} UTC</time></div></header>`;
}

export function watcherText({ age, isAlive }: ClusterProgress['watcher']): string {
  if (age === undefined) return 'no heartbeat from the watcher yet';
  return isAlive ? `watcher live, heard ${agoText(age)}` : `watcher silent for ${durationText(age)}`;
}

function renderNotice({ watcher }: ClusterProgress): Markup | undefined {
  if (watcher.isAlive || watcher.age === undefined) return undefined;
  return markup`<p class="notice" role="status">No pod is evicted until the watcher sends a heartbeat again: data about the cluster may be stale.</p>`;
}

export function renderRefused({ refused = [] }: ClusterProgress): Markup | undefined {
  const [first] = refused;
  if (first === undefined) return undefined;
  const rest = refused.length > 1 ? ` and ${countText(refused.length - 1, 'more object')}` : '';
  return markup`<p class="notice" role="status">Too large to be kept: ${first}${rest}. Pods that depend on them are not evicted.</p>`;
}

/** Maximum rules named in a sentence; the rest is counted. */
const named = 3;

/** Answers the main questions: is the watcher alive, what is held, which pods are pending. */
function renderAnswers(progress: ClusterProgress): Markup {
  const { watcher, recent, pods, limiters } = progress;
  const moving = limiters.filter(isMoving);
  const held = moving.filter(({ heldBecause }) => heldBecause !== undefined);
  const waiting = pods.pending + pods.waiting;
  const evicted = `${countText(recent.evicted, 'pod')} evicted in the last ${durationText(recent.window)}`;
  const answers = [
    ['Is it working?', watcher.isAlive ? `yes: ${evicted}` : `no: ${watcherText(watcher)}`],
    ['Is it held?', held.length === 0 ? 'no' : heldText(held)],
    ['Who is waiting?', waiting === 0 ? 'no pod' : `${countText(waiting, 'pod')}: ${listOf(moving, backlogText)}`],
  ] as const;
  return markup`<dl class="answers">${answers.map(([question, answer]) => markup`<div><dt>${question}</dt><dd>${answer}</dd></div>`)}</dl>`;
}

/** Names a common reason only once. */
function heldText(held: readonly LimiterProgress[]): string {
  const reasons = new Set(held.map(({ heldBecause }) => heldBecause));
  if (reasons.size > 1) return listOf(held, ({ name, heldBecause }) => `${name} (${heldBecause})`);
  return `${listOf(held, ({ name }) => name)} (${[...reasons].join()})`;
}

function backlogText({ name, counts }: LimiterProgress): string {
  return `${name} ${numberText(counts.pending + counts.waiting)}`;
}

function listOf(limiters: readonly LimiterProgress[], text: (one: LimiterProgress) => string): string {
  const rest = limiters.length - named;
  return `${limiters.slice(0, named).map(text).join(', ')}${rest > 0 ? `, and ${countText(rest, 'more rule')}` : ''}`;
}

/**
 * Widgets show recent evictions, because the totals of several Lambda environments differ; other pages show the total.
 * `isCounting`: some pods to go are not in `pods` yet.
 */
export function renderTiles(
  { pods, recent, shared = 0 }: ClusterProgress,
  { by = 'window', isCounting = false }: { readonly by?: 'window' | 'total'; readonly isCounting?: boolean } = {},
): Markup {
  const tile = (name: string, count: number, note: string) =>
    isCounting ? ([name, '–', name, 'being counted'] as const) : ([name, numberText(count), name, note] as const);
  const total = by === 'total' ? recent.total : undefined;
  const evicted = `${recent.isPartial ? 'at least ' : ''}${numberText(total?.evicted ?? recent.evicted)}`;
  const when = total ? `since ${clockText(total.since)} UTC` : `in the last ${durationText(recent.window)}`;
  const tiles: readonly (readonly [string, string, string, string])[] = [
    ['evicted', evicted, 'evicted', when],
    ['deleting', numberText(pods.deleting), 'deleting', 'under way now'],
    tile('pending', pods.pending, 'due, or held while due'),
    tile('waiting', pods.waiting, 'not due, unapproved, or kept by a budget'),
  ];
  return markup`<dl class="tiles">${tiles.map(
    ([name, value, label, note]) =>
      markup`<div class="tile"><dt><i class="key ${name}" aria-hidden="true"></i>${label}</dt><dd>${value}<small>${note}</small></dd></div>`,
  )}</dl>${shared > 0 && markup`<p class="more">${countText(shared, 'pod')} counted in several rules.</p>`}`;
}

/** `isCounting`: held pods are known that are not in `progress` yet. */
export function renderEmpty(progress: ClusterProgress, isCounting = false): Markup {
  if (isCounting)
    return markup`<section class="empty"><h2>Pods are being counted</h2><p>A rule or policy is held, and its pods show up here within seconds.</p></section>`;
  const text = emptyText(progress);
  return markup`<section class="empty"><h2>${progress.watcher.isAlive ? 'No pod is pending' : 'No pending pod is known'}</h2><p>${text}</p></section>`;
}

function emptyText({ limiters, modes = allOwned, watcher }: ClusterProgress): string {
  if (watcher.age === undefined) return 'The watcher has not listed the cluster yet.';
  const isEverywhere = (mode: Mode) => modes.native === mode && modes.paced === mode;
  if (isEverywhere('shadow')) return 'Sluice only watches this cluster: another controller may be evicting its pods.';
  if (isEverywhere('off')) return 'Sluice is switched off for this cluster.';
  if (!watcher.isAlive) return 'The watcher is silent: what changed since it was last heard is not known.';
  if (limiters.length > 0)
    return limiters.every(({ state }) => state === 'Completed')
      ? 'Every rule with pods is completed.'
      : 'No rule has a pending pod.';
  return 'No device taints evict pods in this cluster. Create a DeviceTaintRule and its pods show up here within a second.';
}
