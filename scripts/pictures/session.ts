// Runs a program in a pseudo-terminal of a given size and collects its frames.
import { type ChildProcess, spawn } from 'node:child_process';

export interface Frame {
  /** Lines with colour escape sequences. */
  readonly lines: readonly string[];
  /** Text without colours. */
  readonly text: string;
}

export interface Session {
  /** All frames so far, oldest first. */
  readonly frames: readonly Frame[];
  /** Returns the next frame whose text matches; throws with the last frame after `patience` milliseconds. */
  shows(pattern: RegExp, patience?: number): Promise<Frame>;
  type(keys: string): void;
  /** Exit status. */
  readonly ended: Promise<number | null>;
  /** Output after the last frame. */
  rest(): string;
  stop(): Promise<void>;
}

export interface SessionOptions {
  readonly command: string;
  readonly columns: number;
  readonly rows: number;
  readonly folder: string;
  readonly environment?: Readonly<Record<string, string>>;
}

const [begin, end] = ['\u001b[?2026h', '\u001b[?2026l'];
// biome-ignore lint/suspicious/noControlCharactersInRegex: an escape sequence begins with one
const colours = /\u001b\[[0-9;]*m/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: an escape sequence begins with one
const moves = /\u001b\[[0-9;?]*[A-Zace-ln-z]|\r/g;

/** Needs `script` of util-linux. */
export function startSession({ command, columns, rows, folder, environment = {} }: SessionOptions): Session {
  const child: ChildProcess = spawn(
    'script',
    ['--quiet', '--flush', '--command', `stty rows ${rows} cols ${columns}; exec ${command}`, '/dev/null'],
    { cwd: folder, env: { ...process.env, TERM: 'xterm-256color', ...environment }, stdio: ['pipe', 'pipe', 'pipe'] },
  );
  const frames: Frame[] = [];
  let rest = '';
  const decoder = new TextDecoder();
  const take = (data: Buffer) => {
    rest += decoder.decode(data, { stream: true });
    for (let stop = rest.indexOf(end); stop >= 0; stop = rest.indexOf(end)) {
      frames.push(frameOf(rest.slice(rest.indexOf(begin) + begin.length, stop)));
      rest = rest.slice(stop + end.length);
    }
  };
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', take);
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  return {
    frames,
    ended,
    rest: () => rest.replace(colours, '').replace(moves, ''),
    type: (keys) => void child.stdin?.write(keys),
    async shows(pattern, patience = 280_000) {
      const from = frames.length;
      const until = Date.now() + patience;
      for (;;) {
        const found = frames.slice(Math.max(0, from - 1)).find(({ text }) => pattern.test(text));
        if (found) return found;
        if (Date.now() > until || child.exitCode !== null)
          throw new Error(`no frame shows ${pattern}; the last one:\n${frames.at(-1)?.text ?? rest}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    async stop() {
      if (child.exitCode === null) child.stdin?.write('q');
      await ended;
    },
  };
}

function frameOf(raw: string): Frame {
  const lines = raw.replace(moves, '').split('\n');
  return { lines, text: lines.join('\n').replace(colours, '') };
}
