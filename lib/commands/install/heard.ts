// Waits for a heartbeat from the watcher of each cluster, which proves that its pod runs, has its role and reaches its queue.
import { currentState } from '../../state/incarnationRows.ts';
import { isWatched } from '../../state/liveness.ts';
import type { Call } from '../definition.ts';
import { Failure } from '../failure.ts';
import { numberFlag } from '../flags.ts';
import { withInstallation } from '../installation/open.ts';
import { line } from '../io.ts';
import type { Target } from './target.ts';

const pollInterval = 1000;
const usualTimeout = 300;

export function untilHeard({ flags, io }: Call, { config, region, stackName }: Target): Promise<void> {
  const seconds = numberFlag(flags, 'timeout') ?? usualTimeout;
  const until = io.now() + seconds * 1000;
  return withInstallation({ io, flags: { stack: stackName, region } }, async ({ table }) => {
    for (const { name } of config.clusters) {
      line(io.err, `waiting for the watcher of ${name}`);
      while (!(await isWatched(await currentState(table, name), io.now()))) {
        if (io.now() > until || io.signal.aborted)
          throw new Failure(
            `no heartbeat from the watcher of ${name} within ${seconds} s`,
            'see: kubectl describe pods --namespace sluice; kubectl logs deployment/sluice-watcher --namespace sluice',
          );
        await io.sleep(pollInterval);
      }
    }
  });
}
