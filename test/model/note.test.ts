// The note of a pause: one line that people and programs read.
import { expect, it } from 'vitest';
import { managerText, noteText, parseNote } from '../../lib/model/note.ts';

it.each([
  ['a reason', 'until Monday', 'until Monday; by ada at 1970-01-01T00:00:00Z'],
  ['a reason of two lines', 'until\nMonday', 'until\nMonday; by ada at 1970-01-01T00:00:00Z'],
  ['no reason', '', 'by ada at 1970-01-01T00:00:00Z'],
])('a note with %s is read as it was written', (_, why, text) => {
  expect(noteText({ why, by: 'ada', at: 0 })).toBe(text);
  expect(parseNote(text)).toEqual({ why, by: 'ada', since: '1970-01-01T00:00:00Z' });
});

it.each([
  'system:serviceaccount:ci:deploy',
  'jane@example.com',
  'Jane Doe',
  'at noon at home',
  'Jane Doe at 2026-01-01T00:00:00Z',
  managerText('kubectl-create'),
])('the author "%s" of a note is read as it was written', (by) => {
  for (const why of ['', 'until Monday', 'stand by; by eve at noon'])
    expect(parseNote(noteText({ why, by, at: 0 }))).toEqual({ why, by, since: '1970-01-01T00:00:00Z' });
});

it.each([
  ['two\nlines  and\ttabs', 'two lines and tabs'],
  ['disks fail; by eve; really', 'disks fail, by eve, really'],
])('the author %j of a note stands on one line, and nothing in it reads as a reason', (by, shown) => {
  const text = noteText({ why: 'until Monday', by, at: 0 });
  expect(text).toBe(`until Monday; by ${shown} at 1970-01-01T00:00:00Z`);
  expect(parseNote(text)).toEqual({ why: 'until Monday', by: shown, since: '1970-01-01T00:00:00Z' });
});

it.each([
  '',
  'until Monday',
  'by ada at noon',
  'by order of eve at noon',
  'by order of eve at 2026-01',
  'stand by eve at 2026-01-01T00:00:00Z',
  'by eve at 2026-01-01T00:00:00Z today',
  'by  at 2026-01-01T00:00:00Z',
  'stand by ada at noon',
  'by ada at noon today',
  'until Monday; by ada',
])('the text "%s" without author and time is the reason alone', (text) => {
  expect(parseNote(text)).toEqual({ why: text });
});
