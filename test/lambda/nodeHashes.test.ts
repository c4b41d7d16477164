// What takes the place of a package in the bundles gives the same digests.
import * as noble from '@noble/hashes/sha2.js';
import * as nobleUtils from '@noble/hashes/utils.js';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { bytesToHex, sha256, utf8ToBytes } from '../../lib/lambda/nodeHashes.ts';

it('digests of any text are those of the package', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const expected = nobleUtils.bytesToHex(noble.sha256(nobleUtils.utf8ToBytes(text)));
      expect(bytesToHex(sha256(utf8ToBytes(text)))).toBe(expected);
    }),
  );
});
