// Planted defects replace texts that the sources have; that their laws fail without their rules is tried by `npm run test:planted`.
import { describe, expect, it } from 'vitest';
import { readText } from '../house/sources.ts';
import { defects } from './defects.ts';
import { plantedText } from './planted.ts';

/** Whether a title is one of those that a table makes: `%s` stands for its values. */
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
    'a law fails once a planted defect takes away: %s',
    (_, defect) => {
      expect(plantedText(defect)).toContain(defect.by);
    },
  );

  it.each(defects.map((defect) => [defect.name, defect.law] as const))('have a law: %s', (_, { file, title }) => {
    const titles = [...readText(file).matchAll(/'((?:[^'\\\n]|\\.)+)'/g)].map(([, text = '']) => text);
    const isIn = (part: string) => titles.some((one) => one.startsWith(part) || isMadeFrom(one, part));
    for (const part of title.split(' > ')) expect(isIn(part), part).toBe(true);
  });

  it('have names of their own', () => {
    expect(new Set(defects.map(({ name }) => name)).size).toBe(defects.length);
  });

  it('are refused where their text is not in the sources', () => {
    const [first] = defects;
    if (!first) throw new Error('there are no defects');
    expect(() => plantedText({ ...first, replace: 'text of no file' })).toThrow(/no longer/);
  });
});
