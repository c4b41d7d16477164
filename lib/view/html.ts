// One cluster's evictions as HTML: what a CloudWatch widget shows, and the parts of it that the console shows too.
import { allOwned, type Mode } from '../model/ownership.ts';
import { renderLimiterCard } from './limiterCard.ts';
import { renderFinished, renderLastEvictions } from './lists.ts';
import { logo } from './logo.ts';
import { type Markup, markup } from './markup.ts';
import { widgetStyle } from './pageStyle.ts';
import { renderPlans } from './plans.ts';
import type { ClusterProgress } from './progress.ts';
import { isMoving } from './stateLabel.ts';
import { agoText, clockText, countText, durationText, modesText, numberText } from './words.ts';

/** Everything that changes; without style and script. */
export function renderFragment(progress: ClusterProgress, look = 'sluice'): string {
  const moving = progress.limiters.filter(isMoving);
  const finished = progress.limiters.filter((one) => !isMoving(one));
  const body = markup`<div class="${look}">
${renderHeader(progress)}
${renderNotice(progress)}${renderRefused(progress)}
${renderTiles(progress)}
<main>
${moving.length > 0 ? markup`<section aria-label="Evictions in progress" class="cards">${moving.map((one) => renderLimiterCard(one, progress.at))}</section>` : renderEmpty(progress)}
${renderPlans(progress)}
${renderFinished(finished)}
${renderLastEvictions(progress)}
</main>
</div>`;
  return body.markup;
}

/** The fragment with its style, for a CloudWatch dashboard: no script, and none of CloudWatch's own styles. */
export function renderWidget(progress: ClusterProgress, theme: 'light' | 'dark' = 'light'): string {
  const look = `sluice cwdb-no-default-styles${theme === 'dark' ? ' dark' : ''}`;
  return `<style>${widgetStyle}</style>${renderFragment(progress, look)}`;
}

function renderHeader({ cluster, at, watcher, modes = allOwned }: ClusterProgress): Markup {
  return markup`<header><div class="brand">${logo}<div><h1>Sluice</h1><p class="cluster">cluster <b>${cluster}</b></p></div></div>
<div class="status">${modesText(modes) !== '' && markup`<span class="pill warn">${modesText(modes)}</span>`}<span class="pill ${watcher.isAlive ? 'good' : 'bad'}"><i class="dot" aria-hidden="true"></i>${watcherText(watcher)}</span><time class="clock">${clockText(at)} UTC</time></div></header>`;
}

export function watcherText({ age, isAlive }: ClusterProgress['watcher']): string {
  if (age === undefined) return 'watcher not heard yet';
  return isAlive ? `watcher live, heard ${agoText(age)}` : `watcher silent for ${durationText(age)}`;
}

function renderNotice({ watcher }: ClusterProgress): Markup | undefined {
  if (watcher.isAlive || watcher.age === undefined) return undefined;
  return markup`<p class="notice" role="status">Nothing is evicted until the watcher is heard again: what Sluice knows of the cluster may be old.</p>`;
}

export function renderRefused({ refused = [] }: ClusterProgress): Markup | undefined {
  const [first] = refused;
  if (first === undefined) return undefined;
  const rest = refused.length > 1 ? ` and ${countText(refused.length - 1, 'more object')}` : '';
  return markup`<p class="notice" role="status">Too large to be kept: ${first}${rest}. Pods that depend on them are not evicted.</p>`;
}

export function renderTiles({ pods, recent }: ClusterProgress): Markup {
  const evicted = `${recent.isPartial ? 'at least ' : ''}${numberText(recent.evicted)}`;
  const tiles: readonly (readonly [string, string, string, string])[] = [
    ['evicted', evicted, 'evicted', `in the last ${durationText(recent.window)}`],
    ['deleting', numberText(pods.deleting), 'deleting', 'under way now'],
    ['pending', numberText(pods.pending), 'pending', 'due, waiting for the rate'],
    ['waiting', numberText(pods.waiting), 'waiting', 'tolerate the taint for a while'],
  ];
  return markup`<dl class="tiles">${tiles.map(
    ([name, value, label, note]) =>
      markup`<div class="tile"><dt><i class="key ${name}" aria-hidden="true"></i>${label}</dt><dd>${value}<small>${note}</small></dd></div>`,
  )}</dl>`;
}

export function renderEmpty(progress: ClusterProgress): Markup {
  const text = emptyText(progress);
  return markup`<section class="empty"><h2>Nothing to evict</h2><p>${text}</p></section>`;
}

function emptyText({ limiters, modes = allOwned, watcher }: ClusterProgress): string {
  if (watcher.age === undefined) return 'The watcher has not listed the cluster yet.';
  const isEverywhere = (mode: Mode) => modes.native === mode && modes.paced === mode;
  if (isEverywhere('shadow')) return 'Sluice only watches this cluster: another controller may be evicting its pods.';
  if (isEverywhere('off')) return 'Sluice is switched off for this cluster.';
  if (limiters.length > 0) return 'Every rule has done what it could: no pod is left to evict.';
  return 'No device taints evict pods in this cluster. Create a DeviceTaintRule and its pods show up here within a second.';
}
