// The functions' environment, read once; all errors are reported together.
import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import en from 'zod/v4/locales/en.js';
import { chosenSettings } from '../config/settings.ts';
import { type ClusterConnection, defaultRecordDays, filePrefix, environmentNames as names } from '../contract.ts';
import { defaultSettings, type InstallationSettings } from '../model/snapshot.ts';

// Without a locale every message is just "Invalid input".
z.config(en());

export interface Environment {
  readonly table: string;
  readonly queueUrls: {
    readonly evaluate: string;
    readonly evict: string;
    readonly report: string;
  };
  /** Cluster name by the name of its ingest queue. */
  readonly ingestQueues: Readonly<Record<string, string>>;
  readonly clusters: Readonly<Record<string, ClusterConnection>>;
  readonly settings: InstallationSettings;
  /** How many days eviction records are kept. */
  readonly recordDays: number;
}

const mode = z.enum(['own', 'shadow', 'off']);

const connection = z.object({
  endpoint: z.url({ protocol: /^https$/ }),
  certificateAuthority: z.optional(z.string()),
  auth: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('eks'), clusterName: z.string().check(z.minLength(1)) }),
    z.object({ kind: z.literal('file'), path: z.string().check(z.minLength(1)) }),
    z.object({ kind: z.literal('outbound') }),
  ]),
  native: z._default(mode, 'own'),
  inTree: z.optional(z.enum(['heed', 'ignore'])),
  paced: z._default(mode, 'own'),
  maxEvictionsPerSecond: z.optional(z.number().check(z.minimum(0), z.maximum(10_000))),
});

/** The environment of this process; used by the composition root only. */
export const processEnvironment: Readonly<Record<string, string | undefined>> = process.env;

/** Invalid environment; the message names every variable and its error. */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError';
}

/** Reads a file next to the bundle. */
const readBeside = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8');

/** Throws EnvironmentError. Queues that a stage does not send to may be missing; their URLs stay empty. */
export function readEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  required: readonly string[],
  readFile: (name: string) => string = readBeside,
): Environment {
  const problems: string[] = [];
  const text = (name: string): string => {
    const value = env[name] ?? '';
    if (value === '' && required.includes(name)) problems.push(`${name} is not set`);
    if (!value.startsWith(filePrefix)) return value;
    try {
      return readFile(value.slice(filePrefix.length));
    } catch (error) {
      problems.push(`${name}: ${value} cannot be read: ${error instanceof Error ? error.message : error}`);
      return '';
    }
  };
  const json = <T>(name: string, schema: z.ZodMiniType<T>, fallback: T): T => {
    const value = text(name);
    if (value === '') return fallback;
    const read = parseJson(value);
    if (read === undefined) {
      problems.push(`${name}: value: is not JSON`);
      return fallback;
    }
    const parsed = schema.safeParse(read);
    if (parsed.success) return parsed.data;
    problems.push(
      `${name}: ${parsed.error.issues.map((issue) => `${issue.path.join('.') || 'value'}: ${issue.message}`).join('; ')}`,
    );
    return fallback;
  };
  const environment: Environment = {
    table: text(names.table),
    queueUrls: {
      evaluate: text(names.evaluateQueueUrl),
      evict: text(names.evictQueueUrl),
      report: text(names.reportQueueUrl),
    },
    ingestQueues: json<Record<string, string>>(
      names.ingestQueues,
      z.record(z.string(), z.string().check(z.minLength(1))),
      {},
    ),
    clusters: json<Record<string, ClusterConnection>>(
      names.clusters,
      z.record(z.string(), connection as unknown as z.ZodMiniType<ClusterConnection>),
      {},
    ),
    settings: {
      ...defaultSettings,
      ...json<Partial<InstallationSettings>>(
        names.settings,
        chosenSettings as unknown as z.ZodMiniType<Partial<InstallationSettings>>,
        {},
      ),
    },
    recordDays: json<number>(names.recordDays, z.int().check(z.minimum(1)), defaultRecordDays),
  };
  if (problems.length > 0)
    throw new EnvironmentError(
      `Sluice cannot start. ${problems.join('. ')}. The stack sets these variables: deploy it again.`,
    );
  return environment;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
