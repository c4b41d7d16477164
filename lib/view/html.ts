// The page of one cluster's evictions, as text: a fragment that stands alone without a script, and the page around it.
import { allOwned, type Mode } from '../model/ownership.ts';
import { renderLimiterCard } from './limiterCard.ts';
import { renderFinished, renderLastEvictions } from './lists.ts';
import { type Markup, markup } from './markup.ts';
import { pageScript } from './pageScript.ts';
import { pageStyle, widgetStyle } from './pageStyle.ts';
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

/** The whole page; its script asks for `fragment` every second. Style and script are constants, so a policy can name their hashes. */
export function renderPage(progress: ClusterProgress): string {
  const title = markup`Sluice · ${progress.cluster}`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>${title.markup}</title><link rel="icon" href="data:,"><style>${pageStyle}</style></head>
<body><div id="live">${renderFragment(progress)}</div><p id="lost" role="alert" hidden>Connection lost. Data may be stale.</p>
<script>${pageScript}</script></body></html>
`;
}

function renderHeader({ cluster, at, watcher, modes = allOwned }: ClusterProgress): Markup {
  return markup`<header><div class="brand">${logo}<div><h1>Sluice</h1><p class="cluster">cluster <b>${cluster}</b></p></div></div>
<div class="status">${modesText(modes) !== '' && markup`<span class="pill warn">${modesText(modes)}</span>`}<span class="pill ${watcher.isAlive ? 'good' : 'bad'}"><i class="dot" aria-hidden="true"></i>${watcherText(watcher)}</span><time class="clock">${clockText(at)} UTC</time></div></header>`;
}

function watcherText({ age, isAlive }: ClusterProgress['watcher']): string {
  if (age === undefined) return 'watcher not heard yet';
  return isAlive ? `watcher live, heard ${agoText(age)}` : `watcher silent for ${durationText(age)}`;
}

function renderNotice({ watcher }: ClusterProgress): Markup | undefined {
  if (watcher.isAlive || watcher.age === undefined) return undefined;
  return markup`<p class="notice" role="status">Nothing is evicted until the watcher is heard again: what Sluice knows of the cluster may be old.</p>`;
}

function renderRefused({ refused = [] }: ClusterProgress): Markup | undefined {
  const [first] = refused;
  if (first === undefined) return undefined;
  const rest = refused.length > 1 ? ` and ${countText(refused.length - 1, 'more object')}` : '';
  return markup`<p class="notice" role="status">Too large to be kept: ${first}${rest}. Pods that depend on them are not evicted.</p>`;
}

function renderTiles({ pods, recent }: ClusterProgress): Markup {
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

function renderEmpty(progress: ClusterProgress): Markup {
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

/** A gate that lets one drop through at a time. */
const logo = markup`<svg class="logo" viewBox="0 0 32 32" width="36" height="36" aria-hidden="true"><rect class="logo-body" width="32" height="32" rx="8"/><path class="logo-line" d="M5 11c2.5-2 4.5-2 7 0M5 16c2.5-2 4.5-2 7 0M5 21c2.5-2 4.5-2 7 0"/><path class="logo-gate" d="M16 5v9.5M16 17.5V27"/><circle class="logo-drop" cx="21" cy="16" r="1.7"/><circle class="logo-drop" cx="26.5" cy="16" r="1.7"/></svg>`;
