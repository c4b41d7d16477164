// Rule selectors by driver, pool and device name.
import { describe, expect, it } from 'vitest';
import { selects } from '../../lib/decide/select.ts';
import type { DeviceTaintSelector } from '../../lib/model/objects.ts';

const device = { driver: 'gpu.example.com', pool: 'node-1', device: 'gpu-0' };

const cases: readonly [name: string, selector: DeviceTaintSelector | undefined, selected: boolean][] = [
  ['no criteria because the selector is absent', undefined, false],
  ['no criteria in an empty selector', {}, true],
  ['the driver', { driver: 'gpu.example.com' }, true],
  ['another driver', { driver: 'nic.example.com' }, false],
  ['the driver in upper case', { driver: 'GPU.example.com' }, false],
  ['a pattern, which is a plain name', { driver: '*' }, false],
  ['the pool of any driver', { pool: 'node-1' }, true],
  ['another pool', { pool: 'node-10' }, false],
  ['the device in any pool', { device: 'gpu-0' }, true],
  ['another device', { device: 'gpu-1' }, false],
  ['all three criteria', device, true],
  ['driver and pool, but another device', { ...device, device: 'gpu-1' }, false],
  ['driver and device, but another pool', { ...device, pool: 'node-2' }, false],
  ['pool and device, but another driver', { ...device, driver: 'x' }, false],
  ['an empty string, which no device equals', { driver: '' }, false],
];

describe('the selector of a rule', () => {
  it.each(cases)(
    'a selector matches a device when every criterion that it has is equal: %s: %j: %s',
    (_, selector, selected) => {
      expect(selects(selector, device)).toBe(selected);
    },
  );
});
