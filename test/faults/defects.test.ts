// Planted defects replace texts that the sources contain; `npm run test:planted` checks that each law fails without its rule.
import { describe, expect, it } from 'vitest';
import { readText } from '../house/sources.ts';
import { defects } from './defects.ts';
import { plantedText } from './planted.ts';

/** Whether the title of a table of tests can produce this title: `%s` stands for its values. */
function isMadeFrom(template: string, title: string): boolean {
  const parts = template.split(/%[sid]/);
  let at = 0;
  return (
    parts.length > 1 &&
    parts.every((part) => {
      const rest = title.slice(at);
      const found = rest.indexOf(part);
      at += found + part.length;
      return found >= 0 || part.startsWith(rest);
    })
  );
}

describe('planted defects', () => {
  it.each(defects.map((defect) => [defect.rule, defect] as const))(
    'the text that a planted defect replaces is in the sources: %s',
    (_, defect) => {
      expect(plantedText(defect)).toContain(defect.by);
    },
  );

  it.each(defects.map((defect) => [defect.name, defect.law] as const))(
    'the law of a planted defect is the title of a test: %s',
    (_, { file, title }) => {
      const titles = [...readText(file).matchAll(/'((?:[^'\\\n]|\\.)+)'/g)].map(([, text = '']) => text);
      const isIn = (part: string) => titles.some((one) => one.startsWith(part) || isMadeFrom(one, part));
      for (const part of title.split(' > ')) expect(isIn(part), part).toBe(true);
    },
  );

  it('planted defects have unique names', () => {
    expect(new Set(defects.map(({ name }) => name)).size).toBe(defects.length);
  });

  it('a planted defect whose text is not in the sources is refused', () => {
    const [first] = defects;
    if (!first) throw new Error('there are no defects');
    expect(() => plantedText({ ...first, replace: 'text of no file' })).toThrow(/no longer/);
  });
});
