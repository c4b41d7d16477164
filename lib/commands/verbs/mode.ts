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
import { type Io, line } from '../io.ts';

export async function run(call: Call): Promise<number> {
  const [what, source, mode] = call.args;
  return withInstallation(call, async (open) => {
    const state = await stateOf(open);
    await requireCluster(open, clusterNameOf(state.cluster));
    if (what === 'differences') await printDifferences(state, call);
    if (what === 'set') await set(state, { source: source as Source, mode: mode as Mode }, call);
    if (what !== 'differences') await show(state, call.io);
    return 0;
  });
}

async function set(state: State, to: { readonly source: Source; readonly mode: Mode }, call: Call): Promise<void> {
  const queue = textFlag(call.flags, 'queue');
  if (queue !== undefined && !/^https?:\/\/\S+$/.test(queue))
    throw new UsageFailure(`--queue is "${queue}", which is not a URL; nothing was switched`, 'see: sluice doctor');
  await switchModes(state, { [to.source]: to.mode }, call.io.now());
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

async function show(state: State, io: Io): Promise<void> {
  const { modes } = await readModes(state);
  for (const source of sources) {
    const parts = [
      `effective mode: ${modes.applied?.[source] ?? 'as configured'}`,
      modes.switched?.[source] === undefined ? 'no override' : `override: ${modes.switched[source]}`,
    ];
    const since = modes.rising?.[source];
    const plan = since === undefined ? undefined : await readModePlan(state, source);
    if (plan)
      parts.push(
        `evictions resume within a minute after ${new Date(plan.at).toISOString()}: ${describeModePlan(plan)}`,
      );
    if (source === 'native' && modes.inTree)
      parts.push(
        `the in-tree controller was detected (${modes.inTree.evidence}), so Sluice only watches until you run: sluice mode set native own`,
      );
    line(io.out, `${clusterNameOf(state.cluster)} ${source}: ${parts.join('; ')}`);
  }
}

async function printDifferences(state: State, { flags, io }: Call): Promise<void> {
  const day = textFlag(flags, 'day') ?? dayOf(io.now());
  if (!isDay(day)) throw new UsageFailure(`--day is "${day}", which is not a date`, 'write it as YYYY-MM-DD');
  for await (const page of differencePages(state, day)) for (const one of page) line(io.out, JSON.stringify(one));
}

/** False for dates that JavaScript rolls over, such as 31 February. */
function isDay(text: string): boolean {
  const at = Date.parse(text);
  return !Number.isNaN(at) && dayOf(at) === text;
}
