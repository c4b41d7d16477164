// A local run leaves no process and no file, and logs no error, however it ends.
import { readFileSync } from 'node:fs';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { build } from '../../lib/local/build.ts';
import { type NpmStart, npmStart, type Process } from './support/npmStart.ts';

const named = (processes: readonly Process[], pattern: RegExp): number => {
  const found = processes.find(({ command }) => pattern.test(command));
  if (!found) throw new Error(`no process ${pattern} among ${processes.map(({ command }) => command).join(', ')}`);
  return found.pid;
};
const program = /bin\/sluice\.ts|dist\/sluice\.mjs/;
const launcher = /^node scripts\/run\.mjs/;

describe.runIf(process.platform === 'linux')('npm start', () => {
  let start: NpmStart | undefined;
  let logFile = '';
  beforeAll(async () => {
    ({ logFile } = await build());
  }, 300_000);
  afterEach(() => start?.cleanUp());

  it.each<[string, (run: NpmStart, processes: readonly Process[]) => void]>([
    ['Ctrl-C', (run) => run.type('\u0003')],
    [
      'Ctrl-C twice',
      (run) => {
        run.type('\u0003');
        setTimeout(() => run.type('\u0003'), 100);
      },
    ],
    ['SIGTERM to npm alone', (_, processes) => process.kill(named(processes, /^npm start/), 'SIGTERM')],
    ['SIGKILL to npm', (_, processes) => process.kill(named(processes, /^npm start/), 'SIGKILL')],
    ['SIGKILL to the launcher', (_, processes) => process.kill(named(processes, launcher), 'SIGKILL')],
  ])(
    'npm start leaves no process, no file and no error in its log after %s',
    async (_, end) => {
      start = npmStart();
      await start.shows(/0 evicted|[1-9]\d* evicted/);
      const processes = start.processes();
      end(start, processes);
      expect(await start.left(processes, 15)).toEqual([]);
      expect(start.files()).toEqual([]);
      expect(start.output()).not.toMatch(/ERROR|npm error/);
      expect(
        readFileSync(logFile, 'utf8')
          .split('\n')
          .filter((line) => line.includes('"level":"ERROR"')),
      ).toEqual([]);
    },
    300_000,
  );

  it.each(['q', '\u0003', '\u0003\u0003'])(
    'npm start gives the terminal its screen and its cursor back after %j',
    async (keys) => {
      start = npmStart();
      await start.shows(/Sluice is starting/);
      const processes = start.processes();
      start.type(keys);
      expect(await start.left(processes, 15)).toEqual([]);
      for (const [on, off] of [
        ['?1049h', '?1049l'],
        ['?25l', '?25h'],
      ] as const)
        expect(start.output().lastIndexOf(off)).toBeGreaterThan(start.output().lastIndexOf(on));
    },
    300_000,
  );

  it('npm start leaves no process after its program is killed', async () => {
    start = npmStart();
    await start.shows(/\d evicted/);
    const processes = start.processes();
    process.kill(named(processes, program), 'SIGKILL');
    expect(await start.left(processes, 15)).toEqual([]);
  }, 300_000);

  it('npm start runs three processes below npm: launcher, program and watcher', async () => {
    start = npmStart();
    await start.shows(/\d evicted/);
    const shown = start.processes().map(({ command }) => command);
    expect(shown.filter((command) => !/^(npm |sh -c )/.test(command))).toHaveLength(3);
  }, 300_000);
});
