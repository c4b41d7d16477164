// What a start says while it builds.
import { expect, it } from 'vitest';
import { buildSteps } from '../../lib/local/buildSteps.ts';

it('a start says once what it builds, and after that what is built and what is not yet', () => {
  const steps = buildSteps(['the stack', 'the programs', 'the page']);
  expect(steps.begun).toBe('Building the stack and the programs and the page, once for these sources.');
  expect(steps.built('the programs')).toBe('Built: the programs. Not yet: the stack, the page.');
  expect(steps.built('the stack')).toBe('Built: the programs, the stack. Not yet: the page.');
});

it('a start says nothing of its build once all is built', () => {
  expect(buildSteps(['the stack']).built('the stack')).toBeUndefined();
});
