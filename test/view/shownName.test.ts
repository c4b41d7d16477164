// Lines of the terminal name a rule so that it can be told from another one.
import { expect, it } from 'vitest';
import { shownName } from '../../lib/view/shownName.ts';

const native = { name: 'twin', place: 'DeviceTaintRule twin' };
const paced = { name: 'twin', place: 'PacedTaintRule twin' };

it.each([
  ['its kind where an object of another kind has its name', [native, paced], 'DeviceTaintRule twin'],
  ['its name alone where it is the only one', [native, { name: 'other', place: 'DeviceTaintRule other' }], 'twin'],
  ['its name alone where only other taints of its own have that name', [native, native], 'twin'],
])('a rule is shown with %s', (_, all, shown) => {
  expect(shownName(native, all)).toBe(shown);
});
