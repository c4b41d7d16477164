// The note of a pause: one line that people and programs read.
import { expect, it } from 'vitest';
import { noteText, parseNote } from '../../lib/model/note.ts';

it.each([
  ['a reason', 'until Monday', 'until Monday; by ada at 1970-01-01T00:00:00Z'],
  ['a reason of two lines', 'until\nMonday', 'until\nMonday; by ada at 1970-01-01T00:00:00Z'],
  ['no reason', '', 'by ada at 1970-01-01T00:00:00Z'],
])('a note with %s is read as it was written', (_, why, text) => {
  expect(noteText({ why, by: 'ada', at: 0 })).toBe(text);
  expect(parseNote(text)).toEqual({ why, by: 'ada', since: '1970-01-01T00:00:00Z' });
});

it.each(['', 'until Monday', 'stand by ada at noon', 'by ada at noon today', 'until Monday; by ada'])(
  'the text "%s" without author and time is the reason alone',
  (text) => {
    expect(parseNote(text)).toEqual({ why: text });
  },
);
