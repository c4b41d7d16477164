// `sluice top`: shows eviction progress of one cluster in the terminal, from the state table or the API server.

import { ruleResource } from '../../adapters/kubernetes/servedVersion.ts';
import { clusterNameOf } from '../../model/identity.ts';
import type { ClusterProgress } from '../../view/progress.ts';
import { createProgressReader } from '../../view/readModel.ts';
import type { ScreenSnapshot } from '../../view/screenSnapshot.ts';
import { renderTerminal } from '../../view/terminal.ts';
import { renderPlainLine } from '../../view/terminalSummary.ts';
import { withCluster } from '../cluster/open.ts';
import { requireServed } from '../cluster/served.ts';
import type { Call } from '../definition.ts';
import { isSet } from '../flags.ts';
import { chooseInstallation } from '../installation/choose.ts';
import { requireCluster } from '../installation/clusters.ts';
import { type OpenInstallation, stateOf, withInstallation } from '../installation/open.ts';
import { hasColor, type Io, inkLine, line, widthOf } from '../io.ts';
import { type Format, formatOf, printFound } from '../output/print.ts';
import { createFrames, readOnce } from '../top/source.ts';

export async function run(call: Call): Promise<number> {
  const { flags, io } = call;
  const format = await formatOf(call);
  const isOnce = isSet(flags, 'once') || format.kind !== 'table';
  const { isRead, why } = await chooseInstallation(call, (open) => ofTable(open, io.now));
  if (isRead) return withInstallation(call, (open) => fromTable(call, open, isOnce ? format : undefined));
  if (why !== undefined) line(io.err, `using the API server only: ${why}`);
  return withCluster(call, async (cluster) => {
    await requireServed(cluster, ruleResource);
    if (!isOnce) return live(io, createFrames(cluster, io.signal));
    const { problems, ...progress } = await readOnce(cluster);
    for (const one of problems) line(io.err, `not read: ${one}`);
    return once(call, progress, format);
  });
}

async function ofTable(open: OpenInstallation, now: () => number): Promise<() => Promise<ClusterProgress>> {
  const state = await stateOf(open);
  await requireCluster(open, clusterNameOf(state.cluster));
  return createProgressReader(() => stateOf(open), { now });
}

/** `format`: prints once. */
async function fromTable(call: Call, open: OpenInstallation, format: Format | undefined): Promise<number> {
  const read = await ofTable(open, call.io.now);
  if (format) return once(call, await read(), format);
  return live(call.io, async () => {
    const progress = await read();
    return { at: progress.at, progress, footer: ['Ctrl-C ends this'] };
  });
}

async function once(call: Call, progress: ClusterProgress, format: Format): Promise<number> {
  const { io } = call;
  if (format.kind !== 'table' && format.kind !== 'wide') {
    const found = { items: [progress], columns: [], isSingle: true, noun: 'progress' };
    const object = (one: ClusterProgress) => ({ kind: 'Progress', ...one });
    await printFound(call, { ...found, object, name: ({ cluster }) => `cluster/${cluster}` }, format);
    return 0;
  }
  const width = widthOf(io.out, io.env);
  const look = { height: io.out.rows ?? 24, color: hasColor(io.out, io.env) };
  const lines = width === undefined ? [renderPlainLine(progress)] : renderTerminal(progress, { width, ...look });
  for (const one of lines) inkLine(io.out, one);
  return 0;
}

async function live(io: Io, read: () => Promise<ScreenSnapshot>): Promise<number> {
  const { startTerminal } = await import('../../local/console/terminal.ts');
  const terminal = startTerminal({ read, out: io.out, environment: io.env });
  while (!io.signal.aborted) await io.sleep(3_600_000);
  await terminal.stop();
  return 0;
}
