// Runs Stryker over the pure core, or over the files that changed since a commit, and prints how many mutants the tests killed.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { parseArgs } from 'node:util';

const folders = ['lib/decide', 'lib/model', 'lib/gates'];
const report = 'reports/mutation.json';

const { values } = parseArgs({ options: { since: { type: 'string' }, mutate: { type: 'string', multiple: true } } });

/** Files of the folders that differ from a commit; all of them where git cannot tell. */
function changedSince(commit: string): readonly string[] | undefined {
  const git = spawnSync('git', ['diff', '--name-only', '--diff-filter=d', commit, '--', ...folders], {
    encoding: 'utf8',
  });
  if (git.status === 0) return git.stdout.split('\n').filter((file) => file.endsWith('.ts'));
  console.log(`git cannot compare with ${commit}, so everything is mutated: ${git.stderr.trim()}`);
  return undefined;
}

const files = values.mutate ?? (values.since === undefined ? undefined : changedSince(values.since));
if (files?.length === 0) {
  console.log(`Nothing in ${folders.join(', ')} differs from ${values.since}: no mutant to run.`);
  process.exit(0);
}
rmSync(report, { force: true });
const only = files ? ['--mutate', files.join(',')] : [];
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
