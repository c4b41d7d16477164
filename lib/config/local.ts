// Values of sluice.yaml that a local run uses: settings, and modes and limit of its cluster.
import type { Mode } from '../model/ownership.ts';
import type { Config } from './schema.ts';
import type { ChosenSettings } from './settings.ts';

export interface LocalChoices {
  readonly settings: ChosenSettings;
  /** `detect`: `own` unless the in-tree controller acts, like `inTree: heed` in a deployed stack. */
  readonly native?: Mode | 'detect';
  readonly paced?: Mode;
  readonly maxEvictionsPerSecond?: number;
  readonly recordDays?: number;
}

/** Selects the cluster by endpoint; without a match, only the settings apply. */
export function localChoices(config: Config | undefined, endpoint: string): LocalChoices {
  if (!config) return { settings: {} };
  const cluster = config.clusters.find((one) => one.endpoint !== undefined && sameServer(one.endpoint, endpoint));
  const settings = Object.entries(config.settings ?? {}).filter(([, value]) => value !== undefined);
  const days = config.retention?.records;
  return {
    settings: Object.fromEntries(settings) as ChosenSettings,
    ...(days === undefined ? {} : { recordDays: days }),
    ...(cluster ? choicesOf(cluster) : {}),
  };
}

function choicesOf(cluster: Config['clusters'][number]): Omit<LocalChoices, 'settings'> {
  const { native = 'own', inTree = 'heed', paced = 'own', maxEvictionsPerSecond: most } = cluster;
  return {
    native: native === 'own' && inTree === 'heed' ? 'detect' : native,
    paced,
    ...(most === undefined ? {} : { maxEvictionsPerSecond: most }),
  };
}

function sameServer(a: string, b: string): boolean {
  return originOf(a) === originOf(b);
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}
