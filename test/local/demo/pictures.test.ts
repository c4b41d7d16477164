// A terminal as an SVG picture, and which of its text is compared.
import { describe, expect, it } from 'vitest';
import { maskedText } from '../../../scripts/pictures/take.ts';
import { terminalSvg } from '../../../scripts/pictures/terminalSvg.ts';

const look = { theme: 'light', columns: 40, title: 'A & B' } as const;
const esc = '\u001b';

describe('a terminal as SVG', () => {
  it('an SVG has each word at its place in the terminal, with its colour and weight', () => {
    const svg = terminalSvg([`${esc}[1mSluice${esc}[22m  ${esc}[32mlive${esc}[39m rest`], look);
    expect(svg).toMatch(/<text x="16" y="29" textLength="48" font-weight="700">Sluice<\/text>/);
    expect(svg).toMatch(/<text x="80" y="29" textLength="32" fill="#0b6b3a">live<\/text>/);
    expect(svg).toMatch(/<text x="120" y="29" textLength="32">rest<\/text>/);
  });

  it('an SVG escapes its text, and has its title as a label', () => {
    const svg = terminalSvg(['<script>&"'], look);
    expect(svg).not.toContain('<script>');
    expect(svg).toContain('aria-label="A &amp; B"');
  });

  it('an SVG of the dark theme has other colours', () => {
    expect(terminalSvg(['a'], { ...look, theme: 'dark' })).not.toBe(terminalSvg(['a'], look));
  });
});

describe('the text that is compared', () => {
  const frame = (at: number, bar: string) =>
    [
      `Sluice local  watcher live, heard ${at} s ago  14:40:0${at} UTC`,
      `bad-driver  Evicting  ${bar}  3${at} %  1${at} evicted  19 to go  next 0.${at} s  4.2 s left`,
      `14:41:0${at}  vision/train-r66s${at}  gpu-0${at}  PacedTaintRule bad-driver`,
    ].join('\n');

  it('the compared text is the same for two moments of one program', () => {
    expect(maskedText(frame(1, '██▓▓▒▒'), '14 evicted')).toBe(maskedText(frame(5, '█▒▒▒▒▒'), '2 deleting'));
  });

  it('the compared text is the same whether or not the teams have room beside the fleet', () => {
    const fleet = 'Fleet  36 nodes, 160 devices';
    const withTeams = `${fleet} · serving 32, vision 24, robotics 14, search 9`;
    expect(maskedText(withTeams, '')).toBe(maskedText(fleet, ''));
  });

  it('the compared text differs if one word differs', () => {
    const changed = frame(1, '█').replace('to go', 'left over');
    expect(maskedText(changed, '')).not.toBe(maskedText(frame(1, '█'), ''));
  });
});

it.each([
  '  1.2/s of 4/s allowed · a=b:NoExecute on driver gpu.example.com, 1 CEL expression',
  '4.0/s of 4/s allowed, with a burst · a=b:NoExecute on driver gpu.exam…',
])('the text of a picture is the same wherever a line is cut, and with or without a burst: %s', (line) =>
  expect(maskedText(line, '')).toContain('#/s of #/s allowed ▒ a=b:NoExecute on driver…'),
);
