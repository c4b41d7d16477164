// Runs a local tool such as npm or helm.
import { spawn } from 'node:child_process';
import { Failure } from '../failure.ts';
import type { Io } from '../io.ts';

export interface ToolRun {
  readonly io: Pick<Io, 'env' | 'err' | 'signal'>;
  readonly folder?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Name in errors, for a tool that another one runs. */
  readonly name?: string;
  /** Copies the tool's output to standard error; otherwise it is shown only in an error. */
  readonly isShown?: boolean;
  /** What helps if the tool is missing or fails. */
  readonly remedy?: string;
}

/** Returns the tool's standard output. Throws a Failure if the tool is missing or its exit status is not 0. */
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
      reject(
        new Failure(
          isMissing ? `${tool} was not found in PATH` : `${tool} cannot be started: ${error.message}`,
          run.remedy,
        ),
      );
    });
    child.on('close', (status, signal) => {
      io.signal.removeEventListener('abort', end);
      if (status === 0) resolve(out);
      else {
        const why = run.isShown ? 'what it printed above says why' : lastLines(all);
        reject(new Failure(`${run.name ?? `${tool} ${args[0]}`} ended with ${status ?? signal}: ${why}`, run.remedy));
      }
    });
  });
}

/** The last lines usually name the cause. */
function lastLines(text: string): string {
  const lines = text.split('\n').map((one) => one.trim());
  return lines
    .filter((one) => one !== '')
    .slice(-3)
    .join(' | ');
}
