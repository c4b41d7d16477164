// Terminal colours, or none; and removal of control characters from text.

export interface Ink {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly cyan: (text: string) => string;
  /** Truncates to `width` characters without counting escape sequences, ends with an ellipsis and resets the colour. */
  readonly cut: (text: string, width: number) => string;
}

const esc = '\u001b';

/** Select Graphic Rendition (ECMA-48). */
export function inkOf(color: boolean): Ink {
  const sgr = (on: number, off: number) => (text: string) => (color ? `${esc}[${on}m${text}${esc}[${off}m` : text);
  const reset = color ? `${esc}[0m` : '';
  return {
    bold: sgr(1, 22),
    dim: sgr(2, 22),
    red: sgr(31, 39),
    green: sgr(32, 39),
    yellow: sgr(33, 39),
    cyan: sgr(36, 39),
    cut: (text, width) => `${cutVisible(text, width - 1)}…${reset}`,
  };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: an escape sequence begins with one
const sequence = /(\u001b\[[0-9;]*m)/g;

/** Applies `change` to the text between colours. */
export function mapUncolored(text: string, change: (piece: string) => string): string {
  return text
    .split(sequence)
    .map((piece, i) => (i % 2 === 1 ? piece : change(piece)))
    .join('');
}

export function visibleLength(text: string): number {
  return text.replace(sequence, '').length;
}

function cutVisible(text: string, width: number): string {
  let room = width;
  let cut = '';
  for (const piece of text.split(sequence)) {
    if (piece.startsWith(esc)) cut += piece;
    else {
      cut += piece.slice(0, Math.max(0, room));
      room -= piece.length;
    }
  }
  return cut;
}

/** Replaces control characters: names from a cluster must not control the terminal. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, '?');
}

/** Breaks lines at spaces, and within a word only if it is longer than a line. */
export function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line === undefined || line.length + word.length + 1 > width) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
}
