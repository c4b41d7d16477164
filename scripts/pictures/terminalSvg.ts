// Renders a terminal frame as a static SVG in a light or dark theme.
import { htmlOf, markup } from '../../lib/view/markup.ts';

export type Theme = 'light' | 'dark';

interface Palette {
  readonly page: string;
  readonly text: string;
  /** Colours by SGR code (ECMA-48), for the codes that Sluice uses. */
  readonly ink: Readonly<Record<string, string>>;
}

/** Every colour has a contrast of at least 4.5:1 with the background. */
const palettes: Readonly<Record<Theme, Palette>> = {
  light: {
    page: '#ffffff',
    text: '#15202b',
    ink: { 2: '#5b6875', 31: '#b42318', 32: '#0b6b3a', 33: '#8a4b00', 36: '#0b5f80' },
  },
  dark: {
    page: '#10161d',
    text: '#e6edf3',
    ink: { 2: '#93a1b0', 31: '#ff8a7a', 32: '#5fd18b', 33: '#f0b429', 36: '#5cc8ef' },
  },
};

const cell = { width: 8, height: 18 } as const;
const margin = 16;

interface Run {
  readonly text: string;
  readonly column: number;
  readonly codes: ReadonlySet<string>;
}

/** `title`: text for screen readers. */
export function terminalSvg(
  lines: readonly string[],
  { theme, columns, title }: { readonly theme: Theme; readonly columns: number; readonly title: string },
): string {
  const { page, text } = palettes[theme];
  const [width, height] = [columns * cell.width + 2 * margin, lines.length * cell.height + 2 * margin];
  const body = lines.flatMap((line, row) => runsOf(line).map((run) => textOf(run, row, palettes[theme])));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">
<rect width="100%" height="100%" rx="10" fill="${page}"/>
<g font-family="ui-monospace,SFMono-Regular,Menlo,'DejaVu Sans Mono',Consolas,monospace" font-size="13" fill="${text}" xml:space="preserve">
${body.join('\n')}
</g>
</svg>
`;
}

function textOf({ text, column, codes }: Run, row: number, { ink }: Palette): string {
  const fill = [...codes].map((code) => ink[code]).find((color) => color !== undefined);
  const [x, y] = [margin + column * cell.width, margin + (row + 1) * cell.height - 5];
  const look = `${fill ? ` fill="${fill}"` : ''}${codes.has('1') ? ' font-weight="700"' : ''}`;
  return `<text x="${x}" y="${y}" textLength="${[...text].length * cell.width}"${look}>${escaped(text)}</text>`;
}

const off: Readonly<Record<string, readonly string[]>> = { '22': ['1', '2'], '39': ['31', '32', '33', '36'] };
// biome-ignore lint/suspicious/noControlCharactersInRegex: an escape sequence begins with one
const sequence = /\u001b\[([0-9;]*)m/g;

/** Splits a line into runs of one style, without surrounding spaces. */
function runsOf(line: string): readonly Run[] {
  const runs: Run[] = [];
  let codes = new Set<string>();
  let [column, at] = [0, 0];
  const add = (text: string) => {
    for (const { 0: word, index } of text.matchAll(/\S+(?: \S+)*/g))
      runs.push({ text: word, column: column + [...text.slice(0, index)].length, codes });
    column += [...text].length;
  };
  for (const match of line.matchAll(sequence)) {
    add(line.slice(at, match.index));
    at = match.index + match[0].length;
    codes = applied(codes, match[1] ?? '');
  }
  add(line.slice(at));
  return runs;
}

function applied(codes: ReadonlySet<string>, code: string): Set<string> {
  if (code === '' || code === '0') return new Set();
  const ended = off[code];
  return ended ? new Set([...codes].filter((one) => !ended.includes(one))) : new Set([...codes, code]);
}

function escaped(text: string): string {
  return htmlOf(markup`${text}`);
}
