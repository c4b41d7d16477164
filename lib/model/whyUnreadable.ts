// Why a file cannot be read or written, in words instead of error codes; pure.

const words: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is not a folder',
  EACCES: 'this user has no right to it',
  EPERM: 'this user has no right to it',
  EROFS: 'its file system is read-only',
  ENOSPC: 'its disk is full',
  ELOOP: 'its links lead back to themselves',
};

export function whyUnreadable(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return words[code] ?? (error instanceof Error ? error.message : String(error));
}
