// An OCI layout names blobs by their digests.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { blobPath, mediaTypes, readBlob, rootOf, writeBlob, writeIndex, writeJson } from '../../scripts/release/oci.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sluice-oci-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('a layout has the version of the specification, one root, and every blob once', () => {
  const layer = writeBlob(folder, mediaTypes.layer, Buffer.from('x'));
  expect(writeBlob(folder, mediaTypes.layer, Buffer.from('x'))).toEqual(layer);
  const root = writeJson(folder, mediaTypes.manifest, { layers: [layer] });
  writeIndex(folder, root);
  expect(JSON.parse(readFileSync(path.join(folder, 'oci-layout'), 'utf8'))).toEqual({ imageLayoutVersion: '1.0.0' });
  expect(rootOf(folder)).toEqual(root);
  expect(
    readdirSync(path.join(folder, 'blobs', 'sha256'))
      .map((hex) => `sha256:${hex}`)
      .sort(),
  ).toEqual([layer.digest, root.digest].sort());
});

it('a blob whose bytes do not match its digest is refused', () => {
  const { digest } = writeBlob(folder, mediaTypes.layer, Buffer.from('x'));
  expect(readBlob(folder, digest).toString()).toBe('x');
  writeFileSync(blobPath(folder, digest), 'y');
  expect(() => readBlob(folder, digest)).toThrow(`blob ${digest}`);
});

it('a layout that names two manifests is refused', () => {
  writeFileSync(path.join(folder, 'index.json'), JSON.stringify({ manifests: [{}, {}] }));
  expect(() => rootOf(folder)).toThrow('names 2 manifests, one is expected');
});
