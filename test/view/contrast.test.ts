// Colours of the pages against what lies behind them, after WCAG 2.2: 3:1 for marks, 4.5:1 for text.
import { describe, expect, it } from 'vitest';
import { consoleStyle } from '../../lib/view/console/style.ts';

const themes = ['light', 'dark'] as const;

/** The last value of each variable that a theme sets; dark rules are those inside of the media query. */
function variablesOf(theme: (typeof themes)[number]): ReadonlyMap<string, string> {
  const dark = [...consoleStyle.matchAll(/@media\(prefers-color-scheme:dark\)\{[^{]*\{([^}]*)\}\}/g)].map(
    ([, rules = '']) => rules,
  );
  const light = consoleStyle.replaceAll(/@media\(prefers-color-scheme:dark\)\{[^{]*\{[^}]*\}\}/g, '');
  const read = (text: string) =>
    [...text.matchAll(/--([a-z-]+):(#[0-9a-f]{3,6})\b/g)].map(([, name = '', value = '']) => [name, value] as const);
  return new Map([...read(light), ...(theme === 'dark' ? read(dark.join(';')) : [])]);
}

function luminance(colour: string): number {
  const digits = colour.slice(1);
  const full = digits.length === 3 ? [...digits].map((one) => one + one).join('') : digits;
  const [r = 0, g = 0, b = 0] = [0, 2, 4].map((at) => {
    const value = Number.parseInt(full.slice(at, at + 2), 16) / 255;
    return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].toSorted((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

const states = ['evicted', 'deleting', 'pending', 'waiting'];
const fleet = ['evicting', 'held', 'unknown', 'tainted', 'inuse', 'free'].map((state) => `mark-${state}`);

describe.each(themes)('in the %s theme', (theme) => {
  const colours = variablesOf(theme);
  const between = (a: string, b: string) => contrast(colours.get(a) ?? '', colours.get(b) ?? '');

  it.each([...states, ...fleet])(
    'the mark %s has a contrast of at least 3:1 with its card and with the track of a bar',
    (mark) => {
      expect(between(mark, 'card')).toBeGreaterThanOrEqual(3);
      if (states.includes(mark)) expect(between(mark, 'soft')).toBeGreaterThanOrEqual(3);
    },
  );

  it.each([
    ['text', 'card'],
    ['text', 'page'],
    ['muted', 'card'],
    ['muted', 'page'],
    ['good', 'good-soft'],
    ['warn', 'warn-soft'],
    ['bad', 'bad-soft'],
    ['info', 'info-soft'],
  ])('text in the colour %s has a contrast of at least 4.5:1 on %s', (text, behind) => {
    expect(between(text, behind)).toBeGreaterThanOrEqual(4.5);
  });
});
