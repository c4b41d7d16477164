// Planted defects replace texts that the sources have; that their laws fail without their rules is tried by `npm run test:planted`.
import { describe, expect, it } from 'vitest';
import { defects } from './defects.ts';
import { plantedText } from './planted.ts';

describe('planted defects', () => {
  it.each(defects.map((defect) => [defect.rule, defect] as const))('take away: %s', (_, defect) => {
    expect(plantedText(defect)).toContain(defect.by);
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
