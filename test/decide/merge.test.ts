// Late, repeated and reordered versions.
import { expect, it } from 'vitest';
import { newerThan } from '../../lib/decide/merge.ts';

it.each([
  [undefined, '1', 'Newer'],
  ['1', '2', 'Newer'],
  ['2', '2', 'Same'],
  ['3', '2', 'Older'],
  ['9', '10', 'Newer'],
  ['10', '9', 'Older'],
  ['9007199254740993', '9007199254740992', 'Older'],
  ['007', '7', 'Same'],
])('after version %s, version %s is %s', (stored, incoming, freshness) => {
  const before = stored === undefined ? undefined : { resourceVersion: stored };
  expect(newerThan(before, { resourceVersion: incoming })).toBe(freshness);
});
