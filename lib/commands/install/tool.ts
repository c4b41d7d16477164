// Runs a tool of this machine, such as npm or helm, and says what to do where it is missing or fails.
import { spawn } from 'node:child_process';
import { Failure } from '../failure.ts';
import type { Io } from '../io.ts';

export interface ToolRun {
  readonly io: Pick<Io, 'env' | 'err' | 'signal'>;
  readonly folder?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** What the tool prints is shown to the person who waits; else it is only part of a failure. */
  readonly isShown?: boolean;
}

/** What the tool wrote to standard output. Throws a Failure where it is missing or does not end with 0. */
export function runTool(tool: string, args: readonly string[], run: ToolRun): Promise<string> {
  const { io } = run;
  return new Promise((resolve, reject) => {
    const child = spawn(tool, args, {
      cwd: run.folder,
      env: { ...io.env, ...run.environment } as NodeJS.ProcessEnv,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const end = () => child.kill('SIGTERM');
    io.signal.addEventListener('abort', end);
    let out = '';
    let all = '';
    const take = (text: string) => {
      all += text;
      if (run.isShown) io.err.write(text);
    };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
      take(text);
    });
    child.stderr.setEncoding('utf8').on('data', take);
    child.on('error', (error: NodeJS.ErrnoException) => {
      const isMissing = error.code === 'ENOENT';
      reject(new Failure(isMissing ? `${tool} is not found on PATH` : `${tool} cannot be started: ${error.message}`));
    });
    child.on('close', (status, signal) => {
      io.signal.removeEventListener('abort', end);
      if (status === 0) resolve(out);
      else reject(new Failure(`${tool} ${args[0]} ended with ${status ?? signal}: ${lastLines(all)}`));
    });
  });
}

/** What a tool says last is why it failed. */
function lastLines(text: string): string {
  const lines = text.split('\n').map((one) => one.trim());
  return lines
    .filter((one) => one !== '')
    .slice(-3)
    .join(' | ');
}
