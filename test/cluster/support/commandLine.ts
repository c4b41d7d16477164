// `sluice start` as a user runs it: a process of its own, read by its output and ended by a signal.
import { execFile, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { waitFor } from './waitFor.ts';

const root = path.join(import.meta.dirname, '..', '..', '..');

export interface RunningCommand {
  /** Everything printed so far, on both streams. */
  said(): string;
  /** Resolves when the text was printed; fails with the whole output otherwise. */
  untilItSays(text: RegExp): Promise<string>;
  /** Its processes and theirs, by id. */
  family(): readonly number[];
  /** Sends the signal; the exit status, or the signal's name where that ended it. */
  end(signal: 'SIGINT' | 'SIGTERM'): Promise<number | string>;
}

export function startSluice(args: readonly string[]): RunningCommand {
  const child = spawn(process.execPath, ['bin/sluice.ts', 'demo', ...args], { cwd: root, stdio: 'pipe' });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', (text: string) => {
      said += text;
    });
  }
  const ended = new Promise<number | string>((resolve) =>
    child.once('close', (status, signal) => resolve(status ?? signal ?? 'unknown')),
  );
  return {
    said: () => said,
    async untilItSays(text) {
      const found = await waitFor(async () => text.exec(said)?.[0], 90_000).catch(() => undefined);
      if (found === undefined) throw new Error(`never said ${text}, but:\n${said}`);
      return found;
    },
    family: () => familyOf(child.pid ?? -1),
    async end(signal) {
      child.kill(signal);
      return ended;
    },
  };
}

/** `sluice doctor --kubeconfig FILE`, to its end. */
export async function runDoctor(kubeconfig: string): Promise<{ readonly status: number; readonly said: string }> {
  const run = promisify(execFile)(process.execPath, ['bin/sluice.ts', 'doctor', '--kubeconfig', kubeconfig], {
    cwd: root,
  });
  return run.then(
    ({ stdout }) => ({ status: 0, said: stdout }),
    (error: { code: number; stdout: string; stderr: string }) => ({
      status: error.code,
      said: `${error.stdout}${error.stderr}`,
    }),
  );
}

/** Processes that are still there, of those given. */
export function alive(pids: readonly number[]): readonly number[] {
  return pids.filter((pid) => {
    const stat = statOf(pid);
    return stat !== undefined && stat.state !== 'Z';
  });
}

function familyOf(first: number): readonly number[] {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
  const parents = all.flatMap((pid) => {
    const stat = statOf(pid);
    return stat ? [{ pid, parent: stat.parent }] : [];
  });
  const family = [first];
  for (const pid of family) family.push(...parents.filter((one) => one.parent === pid).map((one) => one.pid));
  return family;
}

/** Of /proc/<pid>/stat, behind the command's name, which may hold spaces. */
function statOf(pid: number): { readonly state: string; readonly parent: number } | undefined {
  try {
    const [state = '', parent = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return { state, parent: Number(parent) };
  } catch {
    return undefined;
  }
}
