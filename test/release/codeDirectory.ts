// The code directory of a signed Mach-O program, as Apple's cs_blobs.h lays it out: does it have the hash of every page?
import { createHash } from 'node:crypto';

const adHoc = 0x2;

export interface CodeDirectory {
  readonly isAdHoc: boolean;
  readonly pages: number;
  /** Numbers of pages whose bytes have another hash than the directory says. */
  readonly wrong: readonly number[];
  /** Bytes from the start that the hashes cover; the signature follows. */
  readonly covers: number;
}

/** The last code directory in the file: what comes before it is covered. */
export function readCodeDirectory(program: Buffer): CodeDirectory {
  const start = program.lastIndexOf(Buffer.from('fade0c02', 'hex'));
  if (start < 0) throw new Error('the program has no code directory: it is not signed');
  const number = (offset: number) => program.readUInt32BE(start + offset);
  const [hashOffset, pages, covers] = [number(16), number(28), number(32)];
  const pageSize = 2 ** program.readUInt8(start + 39);
  const wrong = Array.from({ length: pages }, (_, page) => page).filter((page) => {
    const bytes = program.subarray(page * pageSize, Math.min((page + 1) * pageSize, covers));
    const said = program.subarray(start + hashOffset + page * 32, start + hashOffset + (page + 1) * 32);
    return !createHash('sha256').update(bytes).digest().equals(said);
  });
  return { isAdHoc: (number(12) & adHoc) !== 0, pages, wrong, covers };
}
