// File of `sluice config use`: stack, region, table and cluster by name, and the current name.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod/mini';
import { whyUnreadable } from '../../model/whyUnreadable.ts';
import { Failure } from '../failure.ts';
import { homeFolder } from '../homeFolder.ts';
import type { Io } from '../io.ts';
import { makeFolder } from '../makeFolder.ts';

const target = z.strictObject({
  stack: z.optional(z.string()),
  region: z.optional(z.string()),
  table: z.optional(z.string()),
  cluster: z.optional(z.string()),
});

const file = z.strictObject({ current: z.optional(z.string()), targets: z.record(z.string(), target) });

export type Target = z.infer<typeof target>;
export type Remembered = z.infer<typeof file>;

/** SLUICE_TARGETS, else sluice/targets.json in XDG_CONFIG_HOME or ~/.config. */
export function rememberedPath(env: Io['env']): string {
  const folder = env.XDG_CONFIG_HOME || path.join(homeFolder(env), '.config');
  return env.SLUICE_TARGETS || path.join(folder, 'sluice', 'targets.json');
}

export function readRemembered(env: Io['env']): Remembered {
  const from = rememberedPath(env);
  let text: string;
  try {
    text = readFileSync(from, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { targets: {} };
    throw new Failure(
      `${from}, the file of sluice config use: ${whyUnreadable(error)}`,
      'set SLUICE_TARGETS to another file',
    );
  }
  try {
    return file.parse(JSON.parse(text));
  } catch {
    throw new Failure(`${from} is not a valid file of sluice config use`, `remove it: rm ${from}`);
  }
}

/** Replaces the file atomically, so that another process never reads half of it. */
export function writeRemembered(env: Io['env'], remembered: Remembered): void {
  const to = rememberedPath(env);
  try {
    makeFolder(path.dirname(to));
    writeFileSync(`${to}.${process.pid}`, `${JSON.stringify(remembered, null, 2)}\n`, { mode: 0o600 });
    renameSync(`${to}.${process.pid}`, to);
  } catch (error) {
    throw new Failure(`${to} cannot be written: ${whyUnreadable(error)}`, 'set SLUICE_TARGETS to a writable file');
  }
}

export function currentTarget(env: Io['env']): Target {
  const { current, targets } = readRemembered(env);
  return current === undefined ? {} : (targets[current] ?? {});
}
