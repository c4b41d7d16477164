// What the construct and sluice.yaml have in common, refused by the same schema and the same contradictions.
import { z } from 'zod';
import { connectedClusterSchema } from './clusterSchema.ts';
import { contradictionsIn, type Place } from './contradictions.ts';
import { keysAt } from './jsonSchema.ts';
import { type Problem, problemsOf } from './problem.ts';
import { configSchema } from './schema.ts';

const { settings, limits, logLevel, retention } = configSchema.shape;
const installationSchema = z.strictObject({
  clusters: z.array(connectedClusterSchema).min(1, { error: 'must name at least one cluster' }),
  settings,
  limits,
  logLevel,
  retention,
});

/** Total over whatever a construct is given, typed or not. */
export function installationProblems(installation: object, place: Place): readonly Problem[] {
  const parsed = installationSchema.safeParse(installation);
  if (parsed.success) return contradictionsIn(parsed.data, place);
  // Places elsewhere are those of sluice.yaml, whose keys a construct has in other props.
  return problemsOf(parsed.error.issues, installation, { keysAt, placesOf: () => [] });
}
