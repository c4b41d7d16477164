// Widget: shows one cluster's evictions on a CloudWatch dashboard.
import { environmentNames as names } from '../lib/contract.ts';
import { createDependencies } from '../lib/lambda/dependencies.ts';
import { createClusterReader } from '../lib/view/readModel.ts';
import { answerWidget } from '../lib/view/widget.ts';

const { clock, environment, modesOf, table } = createDependencies('widget', [names.table, names.clusters]);
const readers = new Map(
  Object.keys(environment.clusters).map((cluster) => [
    cluster,
    createClusterReader({ table, cluster }, { now: clock.now, modes: modesOf(cluster) }),
  ]),
);

export const handler = (event: unknown) =>
  answerWidget(event, {
    clusters: [...readers.keys()],
    async read(cluster) {
      const read = readers.get(cluster);
      if (!read) throw new Error(`no reader for cluster ${cluster}`);
      return read();
    },
  });
