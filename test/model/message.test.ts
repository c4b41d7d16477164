// How long before its slot a message to the evictors is meant to come.
import { describe, expect, it } from 'vitest';
import { leadOf } from '../../lib/model/message.ts';

describe('leadOf', () => {
  it.each([
    [undefined, 0],
    [0, 0],
    [1, 4000],
    [2, 8000],
    [3, 8000],
    [1000, 8000],
  ])('a message of a chain that gave slots back %s times comes %d ms before its slot', (hops, lead) => {
    const message = { cluster: 'prod', limiter: 'rule|u', tasks: [], ...(hops === undefined ? {} : { hops }) };
    expect(leadOf(message)).toBe(lead);
  });
});
