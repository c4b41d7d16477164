// `npm run test:planted`: each law fails in a copy of the sources without its rule, and passes in a copy that has every rule.
import { parseArgs } from 'node:util';
import { type Defect, defects } from './defects.ts';
import { play } from './laws.ts';
import { type Copy, copySources } from './planted.ts';

/** Copies that are tested concurrently. */
const jobs = 2;

const { positionals } = parseArgs({ allowPositionals: true });
const missing = positionals.filter((name) => defects.every((one) => one.name !== name));
for (const name of missing) console.log(`${name}: test/faults/defects.ts has no such defect`);
const chosen = defects.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
const tasks = [holdsUnplanted, ...chosen.map((defect) => (copy: Copy) => isFound(copy, defect))];
let [passed, failed] = [0, missing.length];
await Promise.all(Array.from({ length: jobs }, workOff));
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

async function workOff(): Promise<void> {
  const copy = copySources();
  try {
    for (let task = tasks.shift(); task; task = tasks.shift()) {
      if (await task(copy)) passed++;
      else failed++;
    }
  } finally {
    copy.remove();
  }
}

async function isFound(copy: Copy, defect: Defect): Promise<boolean> {
  const { failed: titles, why } = await copy.planted(defect, () => play(copy.root, [defect.law]));
  const [first] = titles;
  const not = why ?? `"${defect.law.title}" passes without the rule`;
  console.log(`${defect.name}: ${first === undefined ? not : `found by "${first}"`}`);
  return first !== undefined;
}

/** A law that fails although its rule is in place proves nothing. */
async function holdsUnplanted(copy: Copy): Promise<boolean> {
  const laws = chosen.map(({ law }) => law);
  const { failed: titles, why } = await play(copy.root, laws);
  for (const title of titles) console.log(`"${title}" fails with every rule in place`);
  if (why !== undefined) console.log(why);
  return titles.length === 0 && why === undefined;
}
