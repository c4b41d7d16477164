// The bytes of an archive depend on its content alone.
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { pack } from 'tar-stream';
import { describe, expect, it } from 'vitest';
import { compress, type Entry, file, packTar, packZip, readTar, sorted } from '../../scripts/release/archive.ts';

const name = fc.stringMatching(/^[a-z][a-z0-9._-]{0,20}(\/[a-z][a-z0-9._-]{0,90}){0,2}$/);
const entry: fc.Arbitrary<Entry> = fc.oneof(
  fc.record({
    kind: fc.constant('File' as const),
    name,
    mode: fc.constantFrom(0o644, 0o755),
    content: fc.uint8Array().map((bytes) => Buffer.from(bytes)),
  }),
  fc.record({ kind: fc.constant('Directory' as const), name, mode: fc.constant(0o755) }),
  fc.record({ kind: fc.constant('Symlink' as const), name, target: name }),
);
const entries = fc.array(entry, { maxLength: 8 });

describe('a tar archive', () => {
  it('a tar archive gives back what was put into it', async () => {
    await fc.assert(
      fc.asyncProperty(entries, async (all) => {
        expect(await readTar(await packTar(all))).toEqual(all);
      }),
    );
  });

  it('a tar archive has the same bytes in whatever order entries with different names are found', async () => {
    const distinct = fc.uniqueArray(entry, { maxLength: 8, selector: (one) => one.name });
    await fc.assert(
      fc.asyncProperty(distinct, async (all) => {
        const [one, other] = await Promise.all([all, all.toReversed()].map((list) => packTar(sorted(list))));
        expect(one?.equals(other ?? Buffer.alloc(0))).toBe(true);
      }),
    );
  });

  it('a tar archive has no time and no owner of this machine in it', async () => {
    const bytes = compress(await packTar([file('a', 'b')]));
    expect(bytes.subarray(4, 8)).toEqual(Buffer.alloc(4));
    const header = gunzipSync(bytes).subarray(0, 512).toString('latin1');
    const octal = (from: number, length: number) => Number.parseInt(header.slice(from, from + length), 8);
    expect({ uid: octal(108, 8), gid: octal(116, 8), mtime: octal(136, 12) }).toEqual({
      uid: 0,
      gid: 0,
      mtime: Date.UTC(1980, 0, 1) / 1000,
    });
  });

  it('a tar archive with a device in it is refused by name', async () => {
    const tar = pack();
    tar.entry({ name: 'dev/null', type: 'character-device' });
    tar.finalize();
    const bytes = await buffer(tar);
    await expect(readTar(bytes)).rejects.toThrow('dev/null of a tar archive is a character-device');
  });

  it('the last of two entries with the same name is kept', () => {
    expect(sorted([file('a', '1'), file('a', '2')])).toEqual([file('a', '2')]);
  });
});

describe('a ZIP archive', () => {
  it('a ZIP archive has the same bytes in every time zone', () => {
    const module = path.join(import.meta.dirname, '..', '..', 'scripts', 'release', 'archive.ts');
    const script = `import(${JSON.stringify(module)}).then(({packZip})=>process.stdout.write(Buffer.from(packZip({a:Buffer.from('b')})).toString('hex')))`;
    const inZone = (TZ: string) =>
      execFileSync(process.execPath, ['-e', script], { env: { ...process.env, TZ }, encoding: 'utf8' });
    const [west, east] = ['America/Los_Angeles', 'Pacific/Kiritimati'].map(inZone);
    expect(west).toBe(east);
    expect(west).toBe(Buffer.from(packZip({ a: Buffer.from('b') })).toString('hex'));
  });

  it('a ZIP archive has the same bytes in whatever order files are named, and every user may read them', () => {
    const [a, b] = [Buffer.from('1'), Buffer.from('2')];
    const bytes = Buffer.from(packZip({ a, b }));
    expect(bytes.equals(Buffer.from(packZip({ b, a })))).toBe(true);
    const central = bytes.indexOf(Buffer.from('PK\x01\x02', 'latin1'));
    expect((bytes.readUInt32LE(central + 38) >>> 16).toString(8)).toBe('100644');
  });
});
