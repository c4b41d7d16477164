// Previews and performs the end of a pause in the state table, with the AWS credentials of the console.
import { clusterNameOf } from '../../model/identity.ts';
import type { Pause } from '../../model/pause.ts';
import { formatInstant } from '../../model/time.ts';
import { currentRuleSet } from '../../state/currentRules.ts';
import type { ActionRequest } from '../../view/console/act.ts';
import type { Preview } from '../../view/console/actPage.ts';
import { isMoving } from '../../view/stateLabel.ts';
import { countText } from '../../view/words.ts';
import { Failure } from '../failure.ts';
import { whoseText } from '../pause/note.ts';
import { endPause, requirePause, resumedText, type TablePause } from '../pause/tablePause.ts';
import { subjectText } from './actions.ts';
import { heldLimiters } from './counts.ts';
import type { TableSource } from './source.ts';
import { requireSame, standingField, standingOf } from './standingPause.ts';

/** Absent if the request is for the API server of the cluster. */
export function tablePauseOf({ action, kind, name, pause }: ActionRequest): TablePause | undefined {
  if (action !== 'resume' || pause === undefined) return undefined;
  if (kind === 'cluster') return { cluster: name, name: pause };
  return kind === 'clusters' ? { cluster: undefined, name: pause } : undefined;
}

/** Throws if the pause does not exist. */
export async function previewTableResume(
  table: TableSource,
  { request, of }: { readonly request: ActionRequest; readonly of: TablePause },
): Promise<Preview> {
  const { cluster, pods, limiters, at } = await table.progress();
  const state = await table.state();
  const row = rowOf(await requirePause(state.table, of));
  const listed = pods.pending + pods.waiting + pods.deleting;
  const moving = limiters.filter(isMoving).map(({ limiter }) => limiter);
  const held = heldLimiters(moving, await currentRuleSet(state), at);
  const others = request.kind === 'clusters' ? ', and those of every other cluster of the installation' : '';
  const mine = `${countText(listed, 'pod')} of cluster ${cluster}`;
  return {
    title: `Resume ${subjectText(request)}`,
    effect: [
      held === undefined
        ? `${mine} can be evicted again within a minute, at the configured rates${others}.`
        : `${mine} ${listed === 1 ? 'is' : 'are'} still kept: ${held}.${request.kind === 'clusters' ? ' Pods of every other cluster of the installation can be evicted again within a minute, unless something else holds them.' : ''}`,
      `This ends the pause ${whoseText(row)}.`,
    ],
    seen: { [standingField]: standingOf(of.name, row) },
    fields: [],
    button: 'Resume',
  };
}

/** Returns text about what was done. */
export async function resumeInTableOf(
  source: TableSource,
  of: TablePause,
  seen: string | undefined,
): Promise<readonly string[]> {
  const { table, cluster } = await source.state();
  const own = clusterNameOf(cluster);
  if (of.cluster !== undefined && of.cluster !== own)
    throw new Failure(
      `this console shows cluster ${own}, not ${of.cluster}`,
      `run: sluice resume cluster ${of.cluster}`,
    );
  const row = rowOf(await requirePause(table, of));
  requireSame(seen, { id: standingOf(of.name, row), row });
  return [resumedText(of, await endPause(table, of))];
}

function rowOf({ by, since, why }: Pause) {
  return { ...(by === undefined ? {} : { by }), since: formatInstant(since), why };
}
