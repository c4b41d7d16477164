// Runs `npm start` as a user does, in a pseudo-terminal: what it shows, which processes it has, and what it leaves behind.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export interface NpmStart {
  /** All that was shown so far. */
  output(): string;
  /** Resolves when the output matches. */
  shows(pattern: RegExp): Promise<void>;
  /** npm and everything below it, in the order of their start. */
  processes(): readonly Process[];
  /** Types what a user types. */
  type(text: string): void;
  /** Processes that are still alive, after they had `seconds` to end. */
  left(processes: readonly Process[], seconds: number): Promise<readonly Process[]>;
  /** What is left in the folder for temporary files. */
  files(): readonly string[];
  cleanUp(): void;
}

export interface Process {
  readonly pid: number;
  readonly command: string;
  /** Clock ticks after the boot: tells a process from a later one of the same number. */
  readonly started: string;
}

const root = path.join(import.meta.dirname, '..', '..', '..');
const patience = 180_000;

export function npmStart(...args: readonly string[]): NpmStart {
  const temporary = mkdtempSync(path.join(tmpdir(), 'sluice-ending-'));
  // Of util-linux: gives the command a terminal of its own and passes on what comes in.
  const child = spawn(
    'script',
    ['--quiet', '--flush', '--command', ['npm', 'start', '--', ...args].join(' '), '/dev/null'],
    {
      cwd: root,
      env: { ...process.env, TMPDIR: temporary, TERM: 'xterm-256color' },
      stdio: ['pipe', 'pipe', 'pipe'],
    },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  return {
    output: () => output,
    shows: (pattern) =>
      until(
        `npm start shows ${pattern}`,
        () => pattern.test(output),
        () => output,
      ),
    processes: () => below(child),
    type: (text) => void child.stdin.write(text),
    async left(processes, seconds) {
      const end = Date.now() + seconds * 1000;
      const alive = () => processes.filter(({ pid, started }) => processOf(pid)?.started === started);
      while (alive().length > 0 && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 50));
      return alive();
    },
    // npm itself keeps compiled code there.
    files: () => readdirSync(temporary).filter((name) => name !== 'node-compile-cache'),
    cleanUp() {
      for (const { pid } of below(child)) process.kill(pid, 'SIGKILL');
      child.kill('SIGKILL');
      rmSync(temporary, { recursive: true, force: true });
    },
  };
}

async function until(what: string, holds: () => boolean, seen: () => string): Promise<void> {
  const end = Date.now() + patience;
  while (!holds()) {
    if (Date.now() > end)
      throw new Error(`waited ${patience / 1000} s in vain until ${what}; seen: ${seen().slice(-2000)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Without `script` itself. */
function below({ pid }: ChildProcess): readonly Process[] {
  if (pid === undefined) return [];
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => processOf(Number(name)) ?? []);
  const childrenOf = (parent: number): readonly Process[] =>
    all.filter((one) => one.parent === parent).flatMap((one) => [one, ...childrenOf(one.pid)]);
  return childrenOf(pid);
}

function processOf(pid: number): (Process & { readonly parent: number }) | undefined {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    // After the name in parentheses: state, parent, …; the 22nd field of all is the start (proc(5)).
    const [state, parent, ...fields] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return state === 'Z' ? undefined : { pid, command, parent: Number(parent), started: fields[17] ?? '' };
  } catch {
    return undefined;
  }
}
