// Objects of a list share messages, and each arrives unchanged.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseChange } from '../../lib/adapters/sqs/changes.ts';
import { type ChangeMessage, singleChanges } from '../../lib/model/change.ts';
import { packed } from '../../lib/watcher/packed.ts';
import { aClaim, aPod } from '../support/objects.ts';

const incarnation = 'uid-1';
const one = fc.oneof(
  fc.nat(50).map((i): ChangeMessage => ({ type: 'Upserted', incarnation, object: aPod(`p${i}`) })),
  fc.nat(50).map((i): ChangeMessage => ({ type: 'Upserted', incarnation, object: aClaim(`c${i}`, 'gpu-0') })),
  fc.nat(50).map((i): ChangeMessage => ({ type: 'Upserted', incarnation, object: aPod(`r${i}`), refused: true })),
  fc.nat(50).map((i): ChangeMessage => ({ type: 'Deleted', incarnation, object: aPod(`p${i}`) })),
);

function unpacked(changes: readonly ChangeMessage[]): readonly ChangeMessage[] {
  return packed(changes).flatMap(({ body, changes: count }) => {
    const parsed = parseChange(body);
    if (parsed.kind === 'Poison') throw new Error(parsed.why);
    const { incarnation, ...change } = parsed.value;
    const single = singleChanges(change).map((each) => ({ ...each, incarnation }));
    expect(single).toHaveLength(count);
    return single;
  });
}

describe('packing changes into messages', () => {
  it('packed changes all arrive, unchanged and in order', () => {
    fc.assert(
      fc.property(fc.array(one, { maxLength: 60 }), (changes) => {
        expect(unpacked(changes)).toEqual(changes);
      }),
    );
  });

  it('a thousand pods need few messages, each far below the size limit of the queue', () => {
    const pods = Array.from({ length: 1000 }, (_, i): ChangeMessage => {
      return { type: 'Upserted', incarnation, object: aPod(`pod-${i}`) };
    });
    const messages = packed(pods);
    expect(messages.length).toBeLessThan(15);
    expect(Math.max(...messages.map(({ body }) => body.length))).toBeLessThan(70_000);
  });

  it('a large change is sent in a message of its own', () => {
    const labels = { long: 'x'.repeat(59_000) };
    const pods = ['a', 'b'].map(
      (name): ChangeMessage => ({ type: 'Upserted', incarnation, object: aPod(name, { labels }) }),
    );
    expect(packed(pods).map(({ changes }) => changes)).toEqual([1, 1]);
  });
});
