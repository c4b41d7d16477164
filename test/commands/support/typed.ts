// Runs a command of a page in bash as a reader would; a command that watches gets one Ctrl-C after its first line.
import { execFile } from 'node:child_process';
import { expect } from 'vitest';

export interface Typed {
  readonly status: number;
  readonly said: string;
}

export interface Where {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Seconds from the first line until Ctrl-C is sent, or four times as many from the start if no line is printed; absent: the
   * command ends by itself. */
  readonly seconds?: number | undefined;
}

/** Seconds after which a command that ignores the signal gets it again. */
const longest = 300;

export function type(command: string, { cwd, env, seconds }: Where): Promise<Typed> {
  // `timeout` forwards a signal to the program alone: a second signal would end it at once, without an answer.
  const typed =
    seconds === undefined ? command : `exec timeout --foreground --preserve-status --signal=INT ${longest} ${command}`;
  return new Promise((resolve) => {
    const child = execFile(
      'bash',
      ['-c', `set -o pipefail; ${typed}`],
      { cwd, env, maxBuffer: 1 << 26 },
      (error, out, err) => {
        const code = error?.code;
        resolve({ status: typeof code === 'number' ? code : error ? 1 : 0, said: `${out}${err}` });
      },
    );
    if (seconds === undefined) return;
    const endIn = (ms: number) => setTimeout(() => child.kill('SIGINT'), ms);
    const silent = endIn(4 * seconds * 1000);
    child.stdout?.once('data', () => {
      clearTimeout(silent);
      endIn(seconds * 1000);
    });
  });
}

/** Status 3 means that a plan would evict pods. */
const answers = [0, 3];

export function expectDone({ status, said }: Typed): void {
  expect(said).not.toMatch(/unknown (command|option)|^ {4}at /m);
  expect({ status, said: answers.includes(status) ? '' : said }).toEqual({
    status: expect.toBeOneOf(answers),
    said: '',
  });
}
