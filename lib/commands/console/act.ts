// Requests for an action: what it will do is shown first; the post does it.
import type { Context } from 'hono';
import { type ActionRequest, actions, rightFor, type SubjectKind } from '../../view/console/act.ts';
import { actPage, errorPage } from '../../view/console/actPage.ts';
import type { ConsolePage } from '../../view/console/page.ts';
import { failureLines } from '../failure.ts';
import { performAction, previewAction, subjectText } from './actions.ts';
import type { Situation } from './frame.ts';
import type { ConsoleSource } from './source.ts';

const kinds: readonly SubjectKind[] = ['everything', 'rule', 'policy', 'namespace', 'device'];

function requestOf(action: string | undefined, texts: Readonly<Record<string, string>>): ActionRequest | undefined {
  const known = actions.find((one) => one === action);
  const kind = kinds.find((one) => one === texts.kind);
  if (!known || !kind || (kind !== 'everything' && !texts.name)) return undefined;
  return { action: known, kind, name: texts.name ?? '', ...(texts.pause ? { pause: texts.pause } : {}) };
}

/** Absent where there is no such action. */
export async function actionPage(
  { cluster, io }: ConsoleSource,
  { may }: Situation,
  { c, token }: { readonly c: Context; readonly token: string },
): Promise<ConsolePage | undefined> {
  const fields = c.req.query();
  const request = requestOf(c.req.param('action'), fields);
  if (!request || !cluster) return undefined;
  if (!may(request))
    return errorPage(`You may not ${request.action} ${subjectText(request)}`, [
      `It needs the right to ${rightFor(request)}. Ask who administers the cluster for it; see: kubectl auth can-i --list`,
    ]);
  const preview = await previewAction({ cluster, io, request, fields });
  return actPage(request, preview, token);
}

/** The API server has the last word on who may. */
export async function doAction(
  { cluster, io }: ConsoleSource,
  action: string,
  fields: Readonly<Record<string, string>>,
) {
  const request = requestOf(action, fields);
  if (!request || !cluster) return { title: 'Not done', isDone: false, lines: ['There is no such action.'] };
  const title = `${action} ${subjectText(request)}`;
  try {
    return { title, isDone: true, lines: await performAction({ cluster, io, request, fields }) };
  } catch (error) {
    return { title, isDone: false, lines: failureLines(error) };
  }
}
