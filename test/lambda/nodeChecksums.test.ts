// The checksums of the bundles are those of the AWS SDK: requests are signed with them.
import * as ofSdk from '@smithy/core/checksum';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Md5, Sha256 } from '../../lib/lambda/nodeChecksums.ts';

const data = fc.oneof(fc.string({ unit: 'binary' }), fc.uint8Array());
const secret = fc.oneof(fc.constant(undefined), fc.string({ minLength: 1 }), fc.uint8Array({ minLength: 1 }));

it('a checksum of the bundles equals that of the SDK, with and without a secret, whole or in parts', () =>
  fc.assert(
    fc.asyncProperty(secret, fc.array(data, { maxLength: 4 }), async (key, parts) => {
      for (const [one, other] of [
        [new Sha256(key), new ofSdk.Sha256(key)],
        [new Md5(), new ofSdk.Md5()],
      ] as const) {
        for (const part of parts) for (const each of [one, other]) each.update(Buffer.from(part));
        expect(await one.digest()).toEqual(await other.digest());
        for (const each of [one, other]) each.reset();
        for (const each of [one, other]) each.update(Buffer.from('after'));
        expect(await one.digest()).toEqual(await other.digest());
      }
    }),
  ));

it('the checksum of data so far can be read before more is added', async () => {
  const [one, other] = [new Sha256(), new ofSdk.Sha256()];
  for (const part of ['a', 'b']) {
    for (const each of [one, other]) each.update(Buffer.from(part));
    expect(await one.digest()).toEqual(await other.digest());
  }
});
