// The replacement of @noble/hashes in the bundles gives the same digests.
import * as noble from '@noble/hashes/sha2.js';
import * as nobleUtils from '@noble/hashes/utils.js';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { bytesToHex, sha256, utf8ToBytes } from '../../lib/lambda/nodeHashes.ts';

it('the SHA-256 digest of any text equals that of @noble/hashes', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const expected = nobleUtils.bytesToHex(noble.sha256(nobleUtils.utf8ToBytes(text)));
      expect(bytesToHex(sha256(utf8ToBytes(text)))).toBe(expected);
    }),
  );
});
