// Runs a command of a page as a reader types it, in bash: what watches ends by one Ctrl-C, after its reader has seen a line.
import { execFile } from 'node:child_process';
import { expect } from 'vitest';

export interface Typed {
  readonly status: number;
  readonly said: string;
}

export interface Where {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Seconds until Ctrl-C comes; absent: the command ends by itself. */
  readonly seconds?: number | undefined;
}

export function type(command: string, { cwd, env, seconds }: Where): Promise<Typed> {
  // A second signal ends a program at once, without an answer, so only the program gets the first.
  const typed =
    seconds === undefined ? command : `timeout --foreground --preserve-status --signal=INT ${seconds} ${command}`;
  return new Promise((resolve) => {
    execFile('bash', ['-c', `set -o pipefail; ${typed}`], { cwd, env, maxBuffer: 1 << 26 }, (error, out, err) => {
      const code = error?.code;
      resolve({ status: typeof code === 'number' ? code : error ? 1 : 0, said: `${out}${err}` });
    });
  });
}

/** 3 is the answer of a plan that evicts. */
const answers = [0, 3];

export function expectDone({ status, said }: Typed): void {
  expect(said).not.toMatch(/unknown (command|option)|^ {4}at /m);
  expect({ status, said: answers.includes(status) ? '' : said }).toEqual({
    status: expect.toBeOneOf(answers),
    said: '',
  });
}
