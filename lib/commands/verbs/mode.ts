// `sluice mode`: sets and shows the mode (own, shadow, off) of a cluster for each source of taints.

import { describeModePlan } from '../../decide/modePlan.ts';
import { clusterNameOf, incarnationOf } from '../../model/identity.ts';
import { type Mode, type Source, sources } from '../../model/ownership.ts';
import { readModePlan, readModes, switchModes } from '../../state/modeRows.ts';
import { dayOf, differencePages } from '../../state/shadowRows.ts';
import type { State } from '../../state/state.ts';
import type { Call } from '../definition.ts';
import { Failure, UsageFailure } from '../failure.ts';
import { textFlag } from '../flags.ts';
import { requireCluster } from '../installation/clusters.ts';
import { stateOf, withInstallation } from '../installation/open.ts';
import { dataLine, line } from '../io.ts';
import { formatOf, printFound } from '../output/print.ts';

export async function run(call: Call): Promise<number> {
  const [what, source, mode] = call.args;
  const [day, queue] = [dayFlag(call), queueFlag(call)];
  const format = what === 'show' ? await formatOf(call) : undefined;
  return withInstallation(call, async (open) => {
    const state = await stateOf(open);
    await requireCluster(open, clusterNameOf(state.cluster));
    if (what === 'differences') await printDifferences(state, call.io, day);
    if (what === 'set') await set(state, { source: source as Source, mode: mode as Mode, queue }, call.io);
    if (what === 'differences') return 0;
    const rows = await readShown(state);
    if (format === undefined || format.kind === 'table' || format.kind === 'wide')
      for (const one of rows) line(call.io.out, textOf(one));
    else
      await printFound(
        call,
        {
          items: rows,
          columns: [],
          object: (one) => ({ kind: 'Mode', ...one }),
          name: ({ cluster, source }) => `${cluster}/${source}`,
          noun: 'modes',
        },
        format,
      );
    return 0;
  });
}

function queueFlag({ flags }: Call): string | undefined {
  const queue = textFlag(flags, 'queue');
  if (queue === undefined || /^https?:\/\/\S+$/.test(queue)) return queue;
  throw new UsageFailure(`--queue is "${queue}", which is not a URL; nothing was switched`, 'see: sluice doctor');
}

async function set(
  state: State,
  { queue, ...to }: { readonly source: Source; readonly mode: Mode; readonly queue: string | undefined },
  io: Call['io'],
): Promise<void> {
  await switchModes(state, { [to.source]: to.mode }, io.now());
  // A cluster without a heartbeat yet applies its modes with the first one.
  if (queue === undefined || incarnationOf(state.cluster) === '') return;
  // Without this message, pending evictions are cancelled at the watcher's next heartbeat, at most ten seconds later.
  const { tellSwitched } = await import('../installation/tellSwitched.ts');
  try {
    await tellSwitched(queue, incarnationOf(state.cluster));
  } catch (error) {
    throw new Failure(
      `mode of ${to.source} in cluster ${clusterNameOf(state.cluster)} is set to ${to.mode}, but the message to queue ${queue} failed: ${(error as Error).message}`,
      'it takes effect with the next heartbeat of the watcher; see: sluice mode show',
    );
  }
}

/** Mode of one source of taints. `plan`: what evicts when the source starts to evict again. */
interface Shown {
  readonly cluster: string;
  readonly source: Source;
  readonly effective?: Mode;
  readonly override?: Mode;
  readonly plan?: { readonly at: string; readonly text: string };
  /** Evidence of an active in-tree controller, because of which Sluice only watches. */
  readonly inTree?: string;
}

async function readShown(state: State): Promise<readonly Shown[]> {
  const { modes } = await readModes(state);
  return Promise.all(
    sources.map(async (source): Promise<Shown> => {
      const [effective, override] = [modes.applied?.[source], modes.switched?.[source]];
      const plan = modes.rising?.[source] === undefined ? undefined : await readModePlan(state, source);
      return {
        cluster: clusterNameOf(state.cluster),
        source,
        ...(effective && { effective }),
        ...(override && { override }),
        ...(plan && { plan: { at: new Date(plan.at).toISOString(), text: describeModePlan(plan) } }),
        ...(source === 'native' && modes.inTree && { inTree: modes.inTree.evidence }),
      };
    }),
  );
}

function textOf({ cluster, source, effective, override, plan, inTree }: Shown): string {
  const parts = [
    `effective mode: ${effective ?? 'as configured'}`,
    override === undefined ? 'no override' : `override: ${override}`,
    ...(plan ? [`evictions resume within a minute after ${plan.at}: ${plan.text}`] : []),
    ...(inTree === undefined
      ? []
      : [
          `the in-tree controller was detected (${inTree}), so Sluice only watches until you run: sluice mode set native own`,
        ]),
  ];
  return `${cluster} ${source}: ${parts.join('; ')}`;
}

function dayFlag({ flags, io }: Call): string {
  const day = textFlag(flags, 'day') ?? dayOf(io.now());
  if (isDay(day)) return day;
  throw new UsageFailure(`--day is "${day}", which is not a date`, 'write it as YYYY-MM-DD');
}

async function printDifferences(state: State, io: Call['io'], day: string): Promise<void> {
  for await (const page of differencePages(state, day)) for (const one of page) dataLine(io.out, JSON.stringify(one));
}

/** False for dates that JavaScript rolls over, such as 31 February. */
function isDay(text: string): boolean {
  const at = Date.parse(text);
  return !Number.isNaN(at) && dayOf(at) === text;
}
