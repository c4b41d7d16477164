// Finds and loads sluice.yaml, for the CDK app, the command line, `npm start` and the doctor.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { whyUnreadable } from '../model/whyUnreadable.ts';
import { readConfig } from './read.ts';
import type { Config } from './schema.ts';
import { readTextFile } from './textFile.ts';

export const configName = 'sluice.yaml';

/** Path in the repository; users start from a copy. */
export const exampleFile = 'deploy/examples/configuration/sluice.yaml';

export interface Place {
  /** From `--config`, or `-c config=` of the CDK; takes precedence. */
  readonly file?: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly folder: string;
  /** File that a message about a missing configuration proposes to copy; absent where the user has no checkout. */
  readonly example?: string;
}

export interface LoadedConfig {
  readonly file: string;
  readonly config: Config;
}

/** `undefined` if no file is named and there is no ./sluice.yaml. A named file need not exist. */
export function locateConfig({ file, environment, folder }: Place): string | undefined {
  const named = file || environment.SLUICE_CONFIG;
  if (named) return path.resolve(folder, named);
  const own = path.join(folder, configName);
  return existsSync(own) ? own : undefined;
}

/** `undefined` if no file is named and there is none. Throws ConfigError, or an error about reading the file. */
export function findConfig(place: Place): LoadedConfig | undefined {
  const file = locateConfig(place);
  if (file === undefined) return undefined;
  const relative = path.relative(place.folder, file);
  const shown = relative === '' || relative.startsWith('..') ? file : relative;
  return { file: shown, config: readConfig(readText(file, shown), shown) };
}

/** Like `findConfig`, but throws if there is no file. */
export function loadConfig(place: Place): LoadedConfig {
  const found = findConfig(place);
  if (found) return found;
  const make =
    place.example === undefined
      ? 'write one with sluice config import or sluice install --eks-cluster NAME'
      : `copy ${place.example} to ${configName} and change it`;
  throw new Error(
    `there is no ${configName} in ${place.folder}: ${make}, or name a file by --config (with the CDK: -c config=FILE) or in SLUICE_CONFIG`,
  );
}

function readText(file: string, shown: string): string {
  try {
    return readTextFile(file);
  } catch (error) {
    throw new Error(`${shown}: ${whyUnreadable(error)}`);
  }
}
