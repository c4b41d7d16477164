// Writes docs/walk.md: the files of lib/ that take part in one eviction, in order of first use.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

interface Section {
  readonly title: string;
  readonly text: string;
  /** First file of the section. */
  readonly from: string;
}

const sections: readonly Section[] = [
  {
    title: 'The watcher',
    text: 'It reads the line of the watch, projects the rule, compares it with what it has sent, and puts it into the queue of its cluster.',
    from: '',
  },
  {
    title: 'Ingest',
    text: 'It replaces the row of the rule where the version is newer, and finds the pods on its devices by the index of pools, a page at a time.',
    from: 'lib/lambda/sqsHandler.ts',
  },
  {
    title: 'The decision',
    text: 'A pure function decides from the rows around the pod. Its answer, a place in the list of the limiter, is written with the row of the pod, and the limiter is woken.',
    from: 'lib/steps/evaluatePods.ts',
  },
  {
    title: 'Evict: the turn of a limiter',
    text: 'It takes the lease, asks the gates whether any pod may go, takes a token, and reads the oldest listing.',
    from: 'lib/stages/evict/run.ts',
  },
  {
    title: 'Evict: one pod',
    text: 'The pod and all that the decision rests on are read again from the API server. It is decided again; the gates admit the pod, the intent is written into the table, and the pod is deleted.',
    from: 'lib/stages/evict/start.ts',
  },
];

const beside = {
  title: 'At the same time',
  text: 'The report stage writes the condition of the rule, and the watcher may send its heartbeat.',
};
const isBeside = (file: string) =>
  file.startsWith('lib/stages/report/') || /^lib\/watcher\/(heartbeat|clockOffset|kinds)\.ts$/.test(file);

const { files } = JSON.parse(
  execFileSync(process.execPath, [path.join(root, 'test/walk/filesOfOneEviction.ts')], { encoding: 'utf8' }),
) as { files: readonly string[] };

const onTheWay = files.filter((file) => !isBeside(file));
const starts = sections.map(({ from }) => (from === '' ? 0 : onTheWay.indexOf(from)));
if (starts.some((start, i) => start < 0 || start < (starts[i - 1] ?? 0)))
  throw new Error(`the sections do not follow each other: ${starts.join(', ')}`);

const list = (some: readonly string[]) => some.map((file) => `- [\`${file}\`](../${file})`).join('\n');
const page = `# From a watch event to a DELETE

One pod under one DeviceTaintRule: every file of \`lib/\` that takes part, in the order in which it is first used. Each begins with a sentence that says what it is for. A test plays the eviction under V8's coverage and fails where another file takes part; \`node scripts/generateWalk.ts\` writes this page.

${[
  ...sections.map((section, i) => ({ section, part: onTheWay.slice(starts[i], starts[i + 1]) })),
  { section: beside, part: files.filter(isBeside) },
]
  .map(({ section, part }) => `## ${section.title}\n\n${section.text}\n\n${list(part)}\n`)
  .join('\n')}`;
writeFileSync(path.join(root, 'docs/walk.md'), page);
console.log(`wrote docs/walk.md, ${files.length} files`);
