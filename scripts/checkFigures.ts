// Checks what `npm start -- --once --json` printed: `node scripts/checkFigures.ts <file with its output> <exit status>`.
import { readFileSync } from 'node:fs';
import { formatCounts } from './vitestReport.ts';

type Figures = Readonly<Record<string, unknown>> & { readonly limiter?: Readonly<Record<string, unknown>> };

/** Every claim is one check; a claim about a figure that is not there fails. */
const claims: readonly (readonly [string, (figures: Figures) => boolean])[] = [
  ['ok is true', ({ ok }) => ok === true],
  [
    'about 400 pods on 480 devices of 60 nodes',
    ({ nodes, devices, pods }) => nodes === 60 && devices === 480 && Number(pods) >= 350,
  ],
  [
    'every pod that should be evicted was',
    ({ shouldEvict, evicted, missed }) => Number(shouldEvict) > 0 && evicted === shouldEvict && missed === 0,
  ],
  ['no pod was evicted wrongly', ({ wronglyEvicted }) => wronglyEvicted === 0],
  ['no pod was deleted twice', ({ duplicateDeletes }) => duplicateDeletes === 0],
  [
    'no window is above the bound',
    ({ limiter }) => Number(limiter?.windowsChecked) > 0 && limiter?.windowsAboveBound === 0,
  ],
];

function parseLastLine(output: string): Figures | undefined {
  try {
    const parsed: unknown = JSON.parse(output.trim().split('\n').at(-1) ?? '');
    return typeof parsed === 'object' && parsed !== null ? (parsed as Figures) : undefined;
  } catch {
    return undefined;
  }
}

const [file = '', status = ''] = process.argv.slice(2);
const output = readFileSync(file, 'utf8');
const figures = parseLastLine(output);
console.log(
  figures
    ? JSON.stringify(figures)
    : `the last line is not a JSON object; the output ends with:\n${output.slice(-500)}`,
);
const failures = claims.filter(([, holds]) => !figures || !holds(figures)).map(([claim]) => claim);
if (status !== '0') failures.push(`exit status 0 (it was ${status})`);
for (const claim of failures) console.log(`does not hold: ${claim}`);
console.log(formatCounts({ passed: claims.length + 1 - failures.length, failed: failures.length }));
process.exitCode = failures.length === 0 ? 0 : 1;
