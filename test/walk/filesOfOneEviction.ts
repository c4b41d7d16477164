// Simulates one eviction and prints, in order, the files of lib/ whose functions ran from the watch event to the DELETE.
import { type Profiler, Session } from 'node:inspector';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { noLuckNeeded } from '../faults/history.ts';
import * as program from '../faults/program.ts';
import { createRandom } from '../faults/random.ts';
import { createScene } from '../faults/scene.ts';
import { installVirtualTime } from '../faults/virtualTime.ts';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const second = 1000;
const start = Date.UTC(2027, 0, 15, 12);

const session = new Session();
session.connect();

/** Files with a function that ran since the last call; top-level code of a module does not count. */
function filesRun(): readonly string[] {
  let scripts: readonly Profiler.ScriptCoverage[] = [];
  session.post('Profiler.takePreciseCoverage', (error, taken) => {
    if (error) throw error;
    scripts = taken.result;
  });
  const ran = scripts.filter(({ functions }) =>
    functions.some(({ functionName, ranges }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0),
  );
  return ran
    .filter(({ url }) => url.startsWith('file:'))
    .map(({ url }) => path.relative(root, fileURLToPath(url)))
    .filter((file) => /^lib\/(?!local\/)/.test(file));
}

/** The order of files that ran within the same millisecond: callers before callees. */
const callers = [
  'lib/watcher/',
  'lib/lambda/',
  'lib/stages/',
  'lib/steps/',
  'lib/state/',
  'lib/adapters/',
  'lib/gates/',
];
const depthOf = (file: string) => {
  const place = callers.findIndex((folder) => file.startsWith(folder));
  return place < 0 ? callers.length : place;
};

const time = installVirtualTime(start, createRandom(1).fork('process').next);
const scene = createScene({
  time,
  seed: 1,
  luck: noLuckNeeded,
  watchers: 1,
  comesBack: false,
  programs: [program],
  cluster: 'prod',
  // Without this, the judge of the histories runs too, and uses the same files.
  isCounted: true,
});

/** Runs until one more pod is deleted. */
async function untilDelete(each: () => void): Promise<void> {
  const { length } = scene.api.deletes;
  const end = time.now() + 10 * second;
  while (scene.api.deletes.length === length && time.now() < end) {
    await time.runUntil(time.now() + 1);
    each();
  }
}

// The first eviction warms up the functions; the second one is recorded.
for (const pod of [0, 1]) scene.act({ do: 'Pod', pod, device: pod });
await time.runUntil(start + 90 * second);
scene.act({ do: 'Rule', rule: 0, selector: { device: 0 }, effect: 'NoExecute' });
await untilDelete(() => {});
await time.runUntil(start + 110 * second);
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
filesRun();
const files = new Set<string>();
scene.act({ do: 'Rule', rule: 1, selector: { device: 1 }, effect: 'NoExecute' });
await untilDelete(() => {
  for (const file of filesRun().toSorted((a, b) => depthOf(a) - depthOf(b))) files.add(file);
});
scene.stop();
time.uninstall();
const answer = JSON.stringify({ deletes: scene.api.deletes.length, files: [...files] });
process.stdout.write(`${answer}\n`, () => process.exit(0));
