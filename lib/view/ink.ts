// Colours of a terminal, or none; and text that cannot move its cursor.

export interface Ink {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly cyan: (text: string) => string;
  /** At most `width` characters, colours not counted, the last of them an ellipsis; then the normal colour. */
  readonly cut: (text: string, width: number) => string;
}

const esc = '\u001b';

/** Select Graphic Rendition of ECMA-48. */
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

/** Names come from a cluster: nothing in them may reach the terminal as a command. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, '?');
}

/** At spaces, where words are not longer than a line. */
export function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line === undefined || line.length + word.length + 1 > width) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
}
