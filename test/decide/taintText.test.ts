// How taints are written in texts, with the description of their author.
import { expect, it } from 'vitest';
import { describeTaint, taintText } from '../../lib/decide/taintText.ts';

it.each([
  [{ key: 'k', value: 'v', effect: 'NoExecute' }, 'k=v:NoExecute'],
  [{ key: 'k', value: '', effect: 'NoExecute' }, 'k:NoExecute'],
  [{ key: 'k', effect: 'None' }, 'k:None'],
])('the taint %j is written as %s', (taint, text) => {
  expect(taintText(taint)).toBe(text);
  expect(describeTaint(taint)).toBe(text);
});

it.each([
  ['fans at 100 %', 'k:None ("fans at 100 %")'],
  [' two\nlines\t', 'k:None ("two lines")'],
  ['two \n\n lines', 'k:None ("two lines")'],
  ['\n', 'k:None'],
  ['x'.repeat(200), `k:None ("${'x'.repeat(200)}")`],
  ['x'.repeat(201), `k:None ("${'x'.repeat(197)}...")`],
])(
  'a taint with the description %j is described with it, on one line and in at most 200 characters',
  (description, text) => expect(describeTaint({ key: 'k', effect: 'None', description })).toBe(text),
);
