// The pauses of a rule or policy in words.
import { describe, expect, it } from 'vitest';
import { isPauseAnnotation, pausesOf } from '../../lib/decide/pauses.ts';

describe('the pauses of a rule', () => {
  it.each([
    [{}, []],
    [{ 'sluice.dev/paused': 'false' }, []],
    [{ 'sluice.dev/paused': '' }, ['sluice.dev/paused']],
    [{ 'pause.sluice.dev/b': '', 'pause.sluice.dev/a': 'until Monday' }, ['a (until Monday)', 'b']],
    [{ 'sluice.dev/paused': 'true', 'pause.sluice.dev/a': '' }, ['sluice.dev/paused', 'a']],
  ])('annotations %j are the pauses %j', (annotations, pauses) => {
    expect(pausesOf(annotations)).toEqual(pauses);
  });

  it('a reason of several lines is told in one', () => {
    expect(pausesOf({ 'pause.sluice.dev/a': 'one\n\n two\r\nthree' })).toEqual(['a (one two three)']);
  });
});

it.each([
  ['sluice.dev/paused', true],
  ['pause.sluice.dev/audit', true],
  ['sluice.dev/pausedx', false],
  ['a/pause.sluice.dev/', false],
  ['sluice.dev/approve', false],
])('the annotation %s is a pause: %s', (key, is) => {
  expect(isPauseAnnotation(key)).toBe(is);
});
