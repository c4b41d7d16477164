// Runs Stryker over the pure core, or over the declarations that changed since a commit, and prints how many mutants the tests killed.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { parseArgs } from 'node:util';

const folders = ['lib/decide', 'lib/model', 'lib/gates'];
const report = 'reports/mutation.json';

const { values } = parseArgs({ options: { since: { type: 'string' }, mutate: { type: 'string', multiple: true } } });

/**
 * Declarations of the folders that differ from a commit, as `file:firstLine-lastLine`; undefined where git cannot tell. A declaration
 * is what `git diff --function-context` shows: from a line that begins in the first column to the next such line.
 */
function changedSince(commit: string): readonly string[] | undefined {
  const compare = [
    'diff',
    '--no-ext-diff',
    '--no-color',
    '--diff-filter=d',
    '--function-context',
    commit,
    '--',
    ...folders,
  ];
  const git = spawnSync('git', compare, { encoding: 'utf8', maxBuffer: 1 << 28 });
  if (git.status === 0) return declarations(git.stdout);
  console.log(`git cannot compare with ${commit}, so everything is mutated: ${git.stderr.trim()}`);
  return undefined;
}

function declarations(diff: string): readonly string[] {
  const found: string[] = [];
  let file = '';
  for (const line of diff.split('\n')) {
    file = /^\+\+\+ b\/(.*)$/.exec(line)?.[1] ?? file;
    const hunk = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line);
    const first = Number(hunk?.[1]);
    const lines = Number(hunk?.[2] ?? 1);
    if (hunk && file.endsWith('.ts') && lines > 0) found.push(`${file}:${first}-${first + lines - 1}`);
  }
  return found;
}

const changed = values.mutate ?? (values.since === undefined ? undefined : changedSince(values.since));
if (changed?.length === 0) {
  console.log(`Nothing in ${folders.join(', ')} differs from ${values.since}: no mutant to run.`);
  process.exit(0);
}
rmSync(report, { force: true });
if (changed) console.log(`Mutated: ${changed.join(' ')}`);
const only = changed ? ['--mutate', changed.join(',')] : [];
const { status } = spawnSync('stryker', ['run', 'test/mutation/stryker.config.json', ...only], { stdio: 'inherit' });
const counts = existsSync(report) ? countMutants(readFileSync(report, 'utf8')) : { found: 0, missed: 1 };
// Files of types alone have no mutants, which is a result too.
const none = status === 0 && counts.found + counts.missed === 0;
console.log(`${none ? 1 : counts.found} passed, ${counts.missed} failed`);
process.exit(status ?? 1);

/** A mutant counts as found when a test fails for it or times out; ignored ones have their reason in the code. */
function countMutants(json: string): { readonly found: number; readonly missed: number } {
  const { files: mutated } = JSON.parse(json) as { files: Record<string, { mutants: { status: string }[] }> };
  const states = Object.values(mutated).flatMap(({ mutants }) => mutants.map((mutant) => mutant.status));
  const count = (...of: readonly string[]) => states.filter((state) => of.includes(state)).length;
  return { found: count('Killed', 'Timeout'), missed: count('Survived', 'NoCoverage', 'RuntimeError') };
}
