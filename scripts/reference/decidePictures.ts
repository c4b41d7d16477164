// Pictures of how Sluice decides: steps from a taint to a due pod, all gates, and what happens right before a DELETE.
import { gates } from '../../lib/gates/index.ts';

const style = `
:root{--back:#fbfcfd;--frame:#c9d2db;--zone:#f1f4f7;--box:#fff;--edge:#8795a4;--text:#15202b;--muted:#526070;--accent:#0b7a75;--keep:#8a4b00}
@media(prefers-color-scheme:dark){:root{--back:#0f151b;--frame:#33404d;--zone:#151d25;--box:#1e2832;--edge:#6b7a89;--text:#e8edf2;--muted:#a3b0bd;--accent:#2fbfb5;--keep:#fbc36b}}
text{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;font-size:13px;fill:var(--muted)}
.name{font-size:15px;font-weight:650;fill:var(--text)}
.keep{fill:var(--keep);font-weight:600}
.back{fill:var(--back);stroke:var(--frame)}
.zone{fill:var(--zone);stroke:var(--frame);stroke-dasharray:4 4}
.box{fill:var(--box);stroke:var(--edge);stroke-width:1.3}
.flow{fill:none;stroke:var(--accent);stroke-width:2}
.tip{fill:var(--accent)}`;

interface Box {
  readonly name: string;
  readonly lines: readonly string[];
  /** What keeps the pod at this step. */
  readonly keeps?: string;
}

const box = { width: 218, height: 118, gap: 26, perRow: 4 } as const;
const margin = 24;

/** Boxes in reading order with arrows between them, four to a row. */
function stepsPicture(title: string, boxes: readonly Box[]): string {
  const rows = Math.ceil(boxes.length / box.perRow);
  const drawn = boxes.map(({ name, lines, keeps }, i) => {
    const x = margin + (i % box.perRow) * (box.width + box.gap);
    const y = margin + Math.floor(i / box.perRow) * (box.height + box.gap * 1.5);
    const text = [
      `<text class="name" x="${x + 12}" y="${y + 26}">${i + 1}. ${name}</text>`,
      ...lines.map((line, k) => `<text x="${x + 12}" y="${y + 48 + k * 18}">${line}</text>`),
      ...(keeps ? [`<text class="keep" x="${x + 12}" y="${y + box.height - 12}">${keeps}</text>`] : []),
    ].join('\n');
    return `<rect class="box" x="${x}" y="${y}" width="${box.width}" height="${box.height}" rx="10"/>\n${text}${arrowAfter(i, boxes.length, { x, y })}`;
  });
  const width = margin * 2 + box.perRow * box.width + (box.perRow - 1) * box.gap;
  const height = margin * 2 + rows * box.height + (rows - 1) * box.gap * 1.5;
  const says = boxes.map(({ name, lines, keeps }) => [`${name}: ${lines.join(' ')}`, keeps].filter(Boolean).join('. '));
  return svg({ title, description: says.join('. '), width, height }, drawn.join('\n'));
}

function arrowAfter(i: number, of: number, { x, y }: { readonly x: number; readonly y: number }): string {
  if (i === of - 1) return '';
  const middle = y + box.height / 2;
  if ((i + 1) % box.perRow !== 0)
    return `\n<path class="flow" marker-end="url(#tip)" d="M${x + box.width + 2} ${middle}h${box.gap - 6}"/>`;
  const [down, first] = [box.gap * 0.75, margin + box.width / 2];
  return `\n<path class="flow" marker-end="url(#tip)" d="M${x + box.width / 2} ${y + box.height + 2}v${down - 2}H${first}v${down - 4}"/>`;
}

function svg(
  by: { readonly title: string; readonly description: string; readonly width: number; readonly height: number },
  body: string,
): string {
  const { title, description, width, height } = by;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title description">
<title id="title">${title}</title>
<desc id="description">${description}</desc>
<style>${style}
</style>
<defs><marker id="tip" viewBox="0 0 10 10" refX="8.5" refY="5" markerWidth="9" markerHeight="9" markerUnits="userSpaceOnUse" orient="auto"><path class="tip" d="M0 1l9 4-9 4z"/></marker></defs>
<rect class="back" x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="14"/>
${body}
</svg>
`;
}

const which = stepsPicture('Which pods are due, and when', [
  { name: 'Taint', lines: ['of a rule, a ResourceSlice', 'or a DeviceTaintSlice'], keeps: 'not NoExecute: kept' },
  { name: 'Device', lines: ['selected by name, class', 'or CEL expression'], keeps: 'not selected: kept' },
  { name: 'ResourceClaim', lines: ['allocated to that device'], keeps: 'not allocated: kept' },
  {
    name: 'Pod',
    lines: ['has a node; the claim is', 'reserved for its UID; in', 'spec.pods of the rule'],
    keeps: 'otherwise: kept',
  },
  {
    name: 'Toleration',
    lines: ['of the allocation; the', 'smallest tolerationSeconds'],
    keeps: 'tolerated forever: kept',
  },
  {
    name: 'Time',
    lines: ['timeAdded of the taint plus', 'tolerationSeconds; a delay', 'of a policy, if later'],
    keeps: 'unreadable: kept',
  },
  { name: 'Earliest', lines: ['of all taints that reach the', 'pod; each is a reason'] },
  { name: 'Due', lines: ['listed at the limiter of', 'each rule, lowest priority', 'and youngest first'] },
]);

const before = stepsPicture('Right before a DELETE', [
  {
    name: 'Gates of the rule',
    lines: ['stops, pauses, windows,', 'canary, approval'],
    keeps: 'held: all its pods are kept',
  },
  { name: 'Token', lines: ['from the bucket of the', 'limiter, at its rate'], keeps: 'unused: for the next pod' },
  {
    name: 'Live reads',
    lines: ['pod, claims, slices, rules', 'and policies, from the', 'API server'],
    keeps: 'refused or late: kept',
  },
  { name: 'Decide again', lines: ['the same evaluation, on', 'what was read'], keeps: 'no reason left: kept' },
  { name: 'Gates of the pod', lines: ['budget, loops, pods in', 'flight'], keeps: 'held: kept' },
  { name: 'Intent', lines: ['a conditional write, so', 'that a crash is noticed'], keeps: 'changed meanwhile: kept' },
  {
    name: 'PATCH and DELETE',
    lines: ['with the UID of the pod,', 'within 0.8 s of its token'],
    keeps: 'stopped or late: kept',
  },
  { name: 'Record', lines: ['outcome, reasons, answers;', 'kept for 90 days'] },
]);

const chip = { width: 150, height: 34, gap: 12, perRow: 6 } as const;

/** `maxPerNode` as `max per node`. */
function words(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** Gates that answer for all pods of a limiter, then those that answer for one pod, each in evaluation order. */
function gatesPicture(): string {
  const groups = [
    { title: 'Hold a whole rule', names: gates.filter(({ room }) => room).map(({ name }) => name) },
    { title: 'Hold one pod', names: gates.filter(({ admits }) => admits).map(({ name }) => name) },
  ];
  const width = margin * 2 + chip.perRow * chip.width + (chip.perRow - 1) * chip.gap + margin;
  const parts: string[] = [];
  let top = margin;
  for (const { title, names } of groups) {
    const rows = Math.ceil(names.length / chip.perRow);
    const height = 44 + rows * (chip.height + chip.gap);
    parts.push(
      `<rect class="zone" x="${margin / 2}" y="${top}" width="${width - margin}" height="${height}" rx="12"/>`,
      `<text class="name" x="${margin}" y="${top + 26}">${title}</text>`,
      ...names.map((name, i) => {
        const x = margin + (i % chip.perRow) * (chip.width + chip.gap);
        const y = top + 40 + Math.floor(i / chip.perRow) * (chip.height + chip.gap);
        return `<rect class="box" x="${x}" y="${y}" width="${chip.width}" height="${chip.height}" rx="8"/><text x="${x + 12}" y="${y + 22}">${words(name)}</text>`;
      }),
    );
    top += height + margin / 2;
  }
  const description = groups.map(({ title, names }) => `${title}: ${names.map(words).join(', ')}`).join('. ');
  return svg({ title: 'All gates', description, width, height: top + margin / 2 }, parts.join('\n'));
}

/** SVG by path. */
export function decidePictures(): Readonly<Record<string, string>> {
  return {
    'docs/images/decide-which.svg': which,
    'docs/images/decide-gates.svg': gatesPicture(),
    'docs/images/decide-before.svg': before,
  };
}
