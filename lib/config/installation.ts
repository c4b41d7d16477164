// Validates the parts shared by the construct and sluice.yaml with one schema and one set of contradictions.
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

/** Never throws, whatever untyped values a construct gets. */
export function installationProblems(installation: object, place: Place): readonly Problem[] {
  const parsed = installationSchema.safeParse(installation);
  if (parsed.success) return contradictionsIn(parsed.data, place);
  // No hints about other places of a key: these are paths of sluice.yaml, and the props of the construct differ.
  return problemsOf(parsed.error.issues, installation, { keysAt, placesOf: () => [] });
}
