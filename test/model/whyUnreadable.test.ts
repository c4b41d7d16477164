// Words for the error codes of files.
import { describe, expect, it } from 'vitest';
import { whyUnreadable } from '../../lib/model/whyUnreadable.ts';

describe('a file that cannot be used', () => {
  it.each([
    ['ENOENT', 'there is no such file'],
    ['EISDIR', 'it is a folder'],
    ['ENOTDIR', 'a part of its path is not a folder'],
    ['EACCES', 'this user has no right to it'],
    ['EPERM', 'this user has no right to it'],
    ['EROFS', 'its file system is read-only'],
    ['ENOSPC', 'its disk is full'],
    ['ELOOP', 'its links lead back to themselves'],
    ['EIO', 'i/o error'],
  ])('the error code %s is said as: %s', (code, text) => {
    expect(whyUnreadable(Object.assign(new Error('i/o error'), { code }))).toBe(text);
  });

  it('an error without a code is said by its message, and any other value by its text', () => {
    expect(whyUnreadable(new Error('not a map'))).toBe('not a map');
    expect(whyUnreadable('ENOENT')).toBe('ENOENT');
  });
});
