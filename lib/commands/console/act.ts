// Handles requests for an action: GET shows a preview, POST performs the action.
import { createHash } from 'node:crypto';
import { clusterPauseHold } from '../../decide/hold.ts';
import {
  type ActionName,
  type ActionRequest,
  actions,
  holdingFields,
  hrefOf,
  rightFor,
  subjectKinds,
} from '../../view/console/act.ts';
import { actPage, changedPage, donePage, errorPage, type Preview } from '../../view/console/actPage.ts';
import type { ConsolePage } from '../../view/console/page.ts';
import { withQuery } from '../../view/console/parts.ts';
import type { OpenCluster } from '../cluster/open.ts';
import { failureSentences, NotFound } from '../failure.ts';
import { performAction, previewAction, subjectText } from './actions.ts';
import type { Address } from './address.ts';
import { resumeOf, type Situation } from './frame.ts';
import { rulesIn } from './rulesIn.ts';
import type { ConsoleSource } from './source.ts';
import { standingField } from './standingPause.ts';
import { previewTableResume, resumeInTableOf, tablePauseOf } from './tableResume.ts';

const titles: Readonly<Record<ActionName, string>> = {
  pause: 'Pause',
  resume: 'Resume',
  approve: 'Approve',
  rate: 'Rate of',
  taint: 'Taint',
  untaint: 'Untaint',
  remove: 'Remove',
};

function requestOf(action: string | undefined, texts: Readonly<Record<string, string>>): ActionRequest | undefined {
  const known = actions.find((one) => one === action);
  const kind = subjectKinds.find((one) => one === texts.kind);
  if (!known || !kind || (kind !== 'everything' && kind !== 'clusters' && !texts.name)) return undefined;
  const name = texts.name ?? '';
  if (known !== 'remove') return { action: known, kind, name, ...(texts.pause ? { pause: texts.pause } : {}) };
  const field = holdingFields.find((one) => one === texts.field);
  return field && kind === 'policy' ? { action: known, kind, name, field } : undefined;
}

interface Asked {
  readonly address: Address;
  readonly token: string;
  /** The page is updated, not loaded. `boundTo`: what its form is bound to; absent until its effect is known. */
  readonly opened?: { readonly boundTo: string | undefined };
}

/** What an address asks for. */
interface Named {
  readonly request: ActionRequest;
  readonly fields: Readonly<Record<string, string>>;
}

/** Absent if there is no such action. Throws if the page cannot be made, or names what does not exist. */
export async function actionPage(
  source: ConsoleSource,
  situation: Situation,
  asked: Asked,
): Promise<ConsolePage | undefined> {
  const fields = Object.fromEntries(asked.address.query);
  const request = requestOf(asked.address.path[1], fields);
  if (!request) return undefined;
  try {
    return await pageOf(source, situation, { ...asked, request, fields });
  } catch (error) {
    // A form that is open must not offer what cannot be done any more.
    if (asked.opened?.boundTo === undefined || !(error instanceof NotFound)) throw error;
    const title = `${titles[request.action]} ${subjectText(request)}`;
    return changedPage(title, { again: againAt(request, fields), why: failureSentences(error)[0] });
  }
}

async function pageOf(
  { cluster, table, io, followed }: ConsoleSource,
  { may, pauses, stored }: Situation,
  by: Asked & Named,
): Promise<ConsolePage | undefined> {
  const { request, fields } = by;
  const reading = followed?.reading();
  const ofTable = tablePauseOf(request);
  if (!(ofTable ? table : cluster)) return undefined;
  if (!may(request))
    return errorPage(
      `You may not ${request.action} ${subjectText(request)}`,
      [`Required right: ${rightFor(request)}. Ask a cluster administrator for it; see: kubectl auth can-i --list`],
      403,
    );
  if (ofTable && table) return boundPage(await previewTableResume(table, { request, of: ofTable }), by);
  if (request.action === 'resume' && !reading && !pauses.some((row) => isSame(resumeOf(row), request)))
    throw new NotFound(noPauseText(request, pauses), 'see: sluice pauses');
  if (!cluster) return undefined;
  const paused = clusterPauseHold(stored)?.message;
  const preview = await previewAction({
    cluster,
    io,
    request,
    fields,
    ...(followed ? { objects: [...rulesIn(followed), ...followed.objects('EvictionPolicy')] } : {}),
    ...(paused === undefined ? {} : { paused }),
    ...(reading ? { reading } : {}),
  });
  return boundPage(preview, by);
}

/** What the form is bound to never changes under the hand of its reader: only what it says of its effect does. */
function boundPage(preview: Preview, { request, fields, token, opened }: Asked & Named): ConsolePage {
  const boundTo = createHash('sha256')
    .update(JSON.stringify(preview.seen ?? {}))
    .digest('base64url');
  if (opened?.boundTo === undefined || opened.boundTo === boundTo) return actPage(request, preview, { token, boundTo });
  return changedPage(preview.title, { again: againAt(request, fields) });
}

function isSame(offered: ActionRequest | undefined, { kind, name, pause }: ActionRequest): boolean {
  return offered?.kind === kind && offered.name === name && offered.pause === pause;
}

/** The page of the action with what was typed. */
function againAt(request: ActionRequest, { why, rate, taint }: Readonly<Record<string, string>>): string {
  return withQuery(hrefOf(request), { why, rate, taint });
}

/** Lists the objects that it reads. */
function unfollowed({ followed: _, ...cluster }: OpenCluster): OpenCluster {
  return cluster;
}

/** For a form of a page that was loaded before the console was restarted: its numbers may be old, so nothing is done. */
export function stalePage(action: string, fields: Readonly<Record<string, string>>): ConsolePage {
  const request = requestOf(action, fields);
  const lines = [
    'The console was restarted after this page was loaded, so nothing was done.',
    'Try again shows what it will do now, with what you typed.',
  ];
  const title = request ? `${titles[request.action]} ${subjectText(request)}` : 'Not done';
  const again = request ? { again: againAt(request, fields) } : {};
  return { ...donePage(title, { isDone: false, lines, ...again }), status: 403 };
}

/** Checks no rights itself: the API server refuses what the caller may not do. */
export async function doAction(
  { cluster: opened, table, io, followed }: ConsoleSource,
  action: string,
  fields: Readonly<Record<string, string>>,
) {
  const request = requestOf(action, fields);
  const none = { title: 'Not done', isDone: false, lines: ['There is no such action.'] };
  if (!request) return none;
  const ofTable = tablePauseOf(request);
  // Pods are counted afterwards, which needs all of the cluster.
  const cluster = opened && followed?.reading() ? unfollowed(opened) : opened;
  const perform = ofTable
    ? table && (() => resumeInTableOf(table, ofTable, fields[standingField]))
    : cluster && (() => performAction({ cluster, io, request, fields }));
  if (!perform) return none;
  const title = `${titles[request.action]} ${subjectText(request)}`;
  try {
    return { title, isDone: true, lines: await perform() };
  } catch (error) {
    return { title, isDone: false, lines: failureSentences(error), again: againAt(request, fields) };
  }
}

/** Names the pauses of the subject that exist. */
function noPauseText(request: ActionRequest, pauses: Situation['pauses']): string {
  const subject = subjectText(request);
  const others = pauses.flatMap((row) => {
    const one = resumeOf(row);
    return one?.kind === request.kind && one.name === request.name ? [row.name] : [];
  });
  const name = request.pause === undefined ? '' : ` ${request.pause}`;
  if (others.length === 0) return `${subject} has no pause${name}`;
  return `${subject} has no pause${name === '' ? ' of that name' : name}; there ${others.length === 1 ? 'is' : 'are'} ${listText(others)}`;
}

function listText(names: readonly string[]): string {
  return new Intl.ListFormat('en-GB').format(names);
}
