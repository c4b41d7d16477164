// `sluice top`: the live picture of one cluster in the terminal, from the state table.
import { clusterNameOf } from '../../model/identity.ts';
import { createProgressReader } from '../../view/readModel.ts';
import { renderTerminal } from '../../view/terminal.ts';
import { renderPlainLine } from '../../view/terminalSummary.ts';
import type { Call } from '../definition.ts';
import { isSet } from '../flags.ts';
import { requireCluster } from '../installation/clusters.ts';
import { stateOf, withInstallation } from '../installation/open.ts';
import { hasColor, line, widthOf } from '../io.ts';

export async function run({ flags, io, ...rest }: Call): Promise<number> {
  return withInstallation({ flags, io, ...rest }, async (open) => {
    const state = await stateOf(open);
    await requireCluster(open, clusterNameOf(state.cluster));
    const read = createProgressReader(() => stateOf(open), { now: io.now });
    if (isSet(flags, 'once')) {
      const progress = await read();
      const width = widthOf(io.out, io.env);
      if (width === undefined) line(io.out, renderPlainLine(progress));
      else
        for (const one of renderTerminal(progress, {
          width,
          height: io.out.rows ?? 24,
          color: hasColor(io.out, io.env),
        }))
          line(io.out, one);
      return 0;
    }
    const { startTerminal } = await import('../../local/console/terminal.ts');
    const terminal = startTerminal({
      read: async () => {
        const progress = await read();
        return { at: progress.at, progress, footer: ['Ctrl-C ends this'] };
      },
      out: io.out,
      environment: io.env,
    });
    while (!io.signal.aborted) await io.sleep(3_600_000);
    await terminal.stop();
    return 0;
  });
}
