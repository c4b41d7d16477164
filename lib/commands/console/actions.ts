// Previews and performs the actions of the console with the code of the verbs and the rights of the caller's kubeconfig.
import type { Json } from '../../adapters/kubernetes/read.ts';
import { stopResource } from '../../adapters/kubernetes/servedVersion.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import { type EvictionStop, stoppedBy, stoppedText } from '../../model/stop.ts';
import type { ActionRequest } from '../../view/console/act.ts';
import type { Preview } from '../../view/console/actPage.ts';
import { findObject } from '../cluster/objects.ts';
import { readPicture } from '../cluster/picture.ts';
import { planOf, taintsInCluster } from '../cluster/planning.ts';
import { Failure } from '../failure.ts';
import { planLines } from '../output/planText.ts';
import { alreadyPaused, staysPaused, whoseText } from '../pause/note.ts';
import { annotatedRow, type PauseRow, stopRow } from '../pause/pauseRows.ts';
import { approveInCluster, offerOf } from '../verbs/approve.ts';
import { pauseInCluster } from '../verbs/pause.ts';
import { resumeInCluster } from '../verbs/resume.ts';
import { type Acting, callerOf } from './acting.ts';
import { captured } from './captured.ts';
import { countedIn, sliceTaintsText, stopsBeside, uncounted } from './counts.ts';
import { effectOf, liveSubject, objectOf, requireSubject } from './effect.ts';
import { previewRemoval, removeField } from './policyHolds.ts';
import { previewRate, writeRate } from './rate.ts';
import { requireSame, standingField, standingPause } from './standingPause.ts';
import { keptByPause, leftOf, stillHeldText, withoutPause } from './stillHeld.ts';
import { previewTaint, previewUntaint, taint, untaint } from './taints.ts';

/** Name of pauses that the console sets. */
const manual = 'manual';

/** Throws if the named object does not exist or there is nothing to do. */
export async function previewAction(acting: Acting): Promise<Preview> {
  const stops = await stopsBeside(acting, manual);
  const preview = await previewUnder(acting, stops);
  const isSaid = stops.length === 0 || ['pause', 'resume', 'remove'].includes(acting.request.action);
  return isSaid ? preview : { ...preview, effect: [...preview.effect, stoppedText(stoppedBy(stops))] };
}

async function previewUnder(acting: Acting, stops: readonly EvictionStop[]): Promise<Preview> {
  const { request } = acting;
  const subject = subjectText(request);
  switch (request.action) {
    case 'pause':
      return {
        title: `Pause ${subject}`,
        ...(await effectOf(acting, (snapshot) => pauseText(acting, { snapshot, stops, subject }), [
          ...(await alreadyText(acting)),
          'DELETE requests already in flight still complete.',
        ])),
        fields: [{ name: 'why', label: 'Reason (shown with the pause)', value: acting.fields.why ?? '' }],
        button: 'Pause',
      };
    case 'resume':
      return previewResume(acting, subject, stops);
    case 'approve':
      return previewApproval(acting, subject);
    case 'rate':
      return previewRate(acting);
    case 'taint':
      return previewTaint(acting, subject);
    case 'untaint':
      return previewUntaint(acting, subject);
    case 'remove':
      return previewRemoval(acting, { subject, stops });
    default:
      return request.action satisfies never;
  }
}

/** Returns text about what was done. Throws if the API server refuses. */
export async function performAction(acting: Acting): Promise<readonly string[]> {
  const { cluster, io, request, fields } = acting;
  switch (request.action) {
    case 'pause': {
      const by = await callerOf(acting);
      const note = { name: manual, why: fields.why ?? '', by, within: 20_000 };
      const of = { subject: liveSubject(request), note, io: captured(io).io };
      const { done, already } = await pauseInCluster(cluster, of);
      return [...already.map((one) => `${one}; ${staysPaused}.`), done];
    }
    case 'resume': {
      const [of, name] = [liveSubject(request), request.pause ?? manual];
      requireSame(fields[standingField], await standingPause(acting, of, name));
      return resumeInCluster(cluster, of, name);
    }
    case 'approve':
      return [await approve(acting)];
    case 'rate':
      return writeRate(acting);
    case 'taint':
      return taint(acting);
    case 'untaint':
      return untaint(acting, false);
    case 'remove':
      return [await removeField(acting)];
    default:
      return request.action satisfies never;
  }
}

export function subjectText({ kind, name, field }: ActionRequest): string {
  if (field !== undefined) return `spec.${field} of EvictionPolicy ${name}`;
  if (kind === 'everything') return 'the whole cluster';
  if (kind === 'clusters') return 'every cluster';
  return kind === 'rule' ? name : `${kind} ${name}`;
}

/** A pause that exists stays as it is, with its author and reason. */
async function alreadyText(acting: Acting): Promise<readonly string[]> {
  const { cluster, request } = acting;
  const object =
    request.kind === 'everything'
      ? await findObject(cluster, stopResource, { name: manual })
      : await requireSubject(acting);
  const row = object && rowOf(request, object, cluster.context);
  return row ? [`${alreadyPaused(subjectText(request), row)}; ${staysPaused}.`] : [];
}

function rowOf({ kind }: ActionRequest, object: Json, context: string): PauseRow | undefined {
  if (kind === 'everything') return stopRow(object, context);
  return annotatedRow(object, manual);
}

function pauseText(
  acting: Acting,
  by: { readonly snapshot: Snapshot; readonly stops: readonly EvictionStop[]; readonly subject: string },
): string {
  const { snapshot, stops, subject } = by;
  const { kept, more } = keptByPause(liveSubject(acting.request), { ...leftOf(acting, stops), snapshot });
  return `${kept} until ${subject} is resumed.${more === '' ? '' : ` ${more}.`}`;
}

async function previewResume(acting: Acting, subject: string, stops: readonly EvictionStop[]): Promise<Preview> {
  const { request } = acting;
  const [of, name] = [liveSubject(request), request.pause ?? manual];
  const standing = await standingPause(acting, of, name);
  const whose = standing === undefined ? '' : whoseText(standing.row);
  const effect = await effectOf(
    acting,
    (seen) => {
      const snapshot = withoutPause(seen, of, name);
      return stillHeldText(of, { ...leftOf(acting, stops), snapshot }, 'can be evicted again');
    },
    whose === '' ? [] : [`This ends the pause ${whose}.`],
  );
  const shown = standing === undefined ? {} : { seen: { [standingField]: standing.id } };
  return { title: `Resume ${subject}`, ...effect, ...shown, fields: [], button: 'Resume' };
}

async function previewApproval(acting: Acting, subject: string): Promise<Preview> {
  const { cluster, io, request } = acting;
  const object = await objectOf(acting);
  const { message, digests } = offerOf(object, request.kind);
  const common = { title: `Approve ${subject}`, fields: [], seen: { digests }, button: 'Approve' };
  const unknown = uncounted(acting);
  // What is approved must have been seen, so the button is not there before the count.
  if (unknown !== undefined) return { ...common, effect: [unknown, message], isUncounted: true, isOpen: true };
  if (request.kind === 'policy')
    return { ...common, effect: [sliceTaintsText(request.name, await countedIn(acting), io.now()), message] };
  const picture = await readPicture(cluster);
  const now = io.now();
  const plan = await planOf(cluster, { taints: taintsInCluster(object, picture, now), picture, now, rule: object });
  const look = { by: 'pod', page: 1, pageSize: 20, isWide: false, width: undefined } as const;
  const [head = '', count = '', ...rest] = planLines(plan, look);
  return { ...common, effect: [count, head, message, ...rest] };
}

/** Throws if the plan has changed since it was shown to the user. */
async function approve(acting: Acting): Promise<string> {
  const { cluster, io, request, fields } = acting;
  const object = await objectOf(acting);
  const { digests } = offerOf(object, request.kind);
  if (digests !== fields.digests)
    throw new Failure(
      `the plan of ${subjectText(request)} has changed since it was shown`,
      'reload the page and review the new plan',
    );
  return approveInCluster(cluster, object, { digests, by: await callerOf(acting), at: io.now() });
}
