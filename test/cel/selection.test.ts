// Selectors of a class and of a rule together, on devices that are published or unknown.
import { describe, expect, it } from 'vitest';
import { buildDevice, type DeviceFields } from '../../lib/cel/device.ts';
import { compileSelectors, maxSelectors, type SeenDevice, type SelectorTexts } from '../../lib/cel/selection.ts';

const model = 'device.attributes["d"].model';
const device = (name: string, more: Partial<DeviceFields> = {}) =>
  buildDevice({ driver: 'd', attributes: { model: { string: name } }, ...more });
const published = (name: string): SeenDevice => ({ published: device(name) });

function select(texts: SelectorTexts, seen: SeenDevice) {
  const selectors = compileSelectors(texts);
  return selectors.kind === 'Compiled' ? selectors.matches(seen) : selectors;
}

describe('a selected device', () => {
  it('a device is selected by no selectors at all, and by selectors that are all true', () => {
    expect(select({ rule: [] }, published('a'))).toEqual({ kind: 'Selected' });
    const texts = { deviceClass: ['device.driver == "d"'], rule: [`${model} == "a"`, 'true'] };
    expect(select(texts, published('a'))).toEqual({ kind: 'Selected' });
  });

  it('a selector that fails never selects a device, and is told apart from one that is false', () => {
    const texts = { deviceClass: ['true'], rule: ['true', 'device.attributes["d"].gone == 1'] };
    const at = { of: 'rule', index: 1 };
    expect(select(texts, published('a'))).toEqual({
      kind: 'Failed',
      at,
      reason: 'no such key: gone',
    });
  });
});

describe('selectors', () => {
  const failing = 'device.attributes["d"].gone == 1';

  it.each([
    ['the class first', { deviceClass: ['false'], rule: [failing] }, { of: 'deviceClass', index: 0 }],
    ['in their order', { rule: ['true', 'false', failing] }, { of: 'rule', index: 1 }],
  ] as const)('selectors are evaluated %s, up to the first that is false', (_, texts, by) => {
    expect(select(texts, published('a'))).toEqual({ kind: 'NotSelected', by });
  });

  it('selectors fail if one fails before another is false', () => {
    expect(select({ rule: [failing, 'false'] }, published('a'))).toMatchObject({ kind: 'Failed' });
  });

  it('selectors are refused together, with the place of the first that cannot be used', () => {
    expect(select({ deviceClass: ['true'], rule: ['true', '1 +'] }, published('a'))).toMatchObject({
      kind: 'Refused',
      at: { of: 'rule', index: 1 },
      position: { line: 1, column: 4 },
    });
  });

  it(`a class and a rule may have ${maxSelectors} selectors each, and no more`, () => {
    const many = (count: number) => Array.from({ length: count }, () => 'true');
    const full = { deviceClass: many(maxSelectors), rule: many(maxSelectors) };
    expect(select(full, published('a'))).toMatchObject({ kind: 'Selected' });
    expect(select({ rule: many(maxSelectors + 1) }, published('a'))).toMatchObject({
      kind: 'Refused',
      at: { of: 'rule', index: maxSelectors },
    });
  });
});

describe('a device that no slice publishes', () => {
  it('a device that no slice publishes is unknown to every selector, even to none', () => {
    expect(select({ rule: ['true'] }, {})).toEqual({ kind: 'Unknown' });
    expect(select({ rule: [] }, {})).toEqual({ kind: 'Unknown' });
  });
});
