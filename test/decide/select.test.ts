// Rule selectors against device names.
import { describe, expect, it } from 'vitest';
import { selects } from '../../lib/decide/select.ts';
import type { DeviceTaintSelector } from '../../lib/model/objects.ts';

const device = { driver: 'gpu.example.com', pool: 'node-1', device: 'gpu-0' };

const cases: readonly [name: string, selector: DeviceTaintSelector | undefined, selected: boolean][] = [
  ['an absent selector picks nothing', undefined, false],
  ['an empty selector picks everything', {}, true],
  ['the driver', { driver: 'gpu.example.com' }, true],
  ['another driver', { driver: 'nic.example.com' }, false],
  ['the driver in other letters', { driver: 'GPU.example.com' }, false],
  ['a pattern is a plain name', { driver: '*' }, false],
  ['the pool, of any driver', { pool: 'node-1' }, true],
  ['another pool', { pool: 'node-10' }, false],
  ['the device, in any pool', { device: 'gpu-0' }, true],
  ['another device', { device: 'gpu-1' }, false],
  ['all three criteria', device, true],
  ['driver and pool match, device does not', { ...device, device: 'gpu-1' }, false],
  ['driver and device match, pool does not', { ...device, pool: 'node-2' }, false],
  ['pool and device match, driver does not', { ...device, driver: 'x' }, false],
  ['an empty string is a criterion that no device meets', { driver: '' }, false],
];

describe('a selector picks a device when every criterion it has is equal', () => {
  it.each(cases)('%s: %j is picked: %s', (_, selector, selected) => {
    expect(selects(selector, device)).toBe(selected);
  });
});
