// The demo as a user sees it in a terminal of 80 by 24: every recorded frame is consistent, and every key works.
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Session, startSession } from '../../../scripts/pictures/session.ts';

const folder = path.resolve(import.meta.dirname, '../../..');
const size = { columns: 80, rows: 24 } as const;
let session: Session;

beforeAll(() => {
  session = startSession({ ...size, folder, command: 'node bin/sluice.ts demo' });
});

afterAll(() => session.stop());

const numberIn = (text: string, pattern: RegExp): number | undefined => {
  const found = pattern.exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
};

describe.runIf(process.platform === 'linux')('the demo in a terminal', () => {
  it('the demo says that the cluster is not known yet, with a progress bar, before it shows any number of it', async () => {
    await session.shows(/Act 1 of 3: A bad driver version/);
    const known = session.frames.findIndex(({ text }) => text.includes('Act 1 of 3'));
    const before = session.frames.slice(0, known).map(({ text }) => text);
    expect(before.length).toBeGreaterThan(3);
    for (const text of before) {
      expect(text).toContain('The cluster is not known yet');
      expect(text).not.toMatch(/\d evicted|devices/);
    }
    expect(before.some((text) => /█+·*\s+\d+ of \d+/.test(text))).toBe(true);
  }, 600_000);

  it('the demo evicts pods for its first act, and its keys work meanwhile', async () => {
    await session.shows(/bad-driver .* [1-9]\d* evicted/);
    session.type('?');
    await session.shows(/Keys \(any key closes this list/, 20_000);
    session.type('t');
    session.type('p');
    await session.shows(/Press p to resume/);
    expect(session.frames.some(({ text }) => text.includes('tainted-'))).toBe(false);
    await session.shows(/held: stopped by EvictionStop by-key/);
    session.type('w');
    await session.shows(/Why was [a-z]+\/[a-z]+-\w+ evicted\?.*PacedTaintRule bad-driver/su);
    session.type('\u001b[B');
    await session.shows(/↑ 1 line above/);
    session.type('q');
    await session.shows(/^(?!.*Why was )/su);
    session.type('r');
    await session.shows(/PacedTaintRule bad-driver: 8\/s/);
    session.type('p');
    await session.shows(/resumed: the cluster is not stopped/);
    await session.shows(/done: \d+ pods? in .*, 0 missed/);
  }, 600_000);

  it('no frame of the demo has two numbers that contradict each other, and no total decreases', () => {
    const act = session.frames.map(({ text }) => text).filter((text) => /^bad-driver /m.test(text));
    expect(act.length).toBeGreaterThan(10);
    let [mostEvicted, mostTotal] = [0, 0];
    for (const text of act) {
      const evicted = numberIn(text, /^bad-driver .* (\d+) evicted/m) ?? 0;
      const total = numberIn(text, /^(\d+) evicted since/m);
      expect(total).toBe(evicted);
      const left = numberIn(text, /· (\d+) deleting/) ?? 0;
      const due = numberIn(text, /· (\d+) pending/) ?? 0;
      expect(evicted).toBeGreaterThanOrEqual(mostEvicted);
      expect(evicted + left + due).toBeGreaterThanOrEqual(mostTotal);
      [mostEvicted, mostTotal] = [evicted, evicted + left + due];
    }
  });

  it('no frame of the demo is higher or wider than its terminal', () => {
    for (const { text } of session.frames) {
      const lines = text.split('\n');
      expect(lines.length).toBeLessThan(size.rows);
      for (const line of lines) expect([...line].length).toBeLessThan(size.columns);
    }
  });

  it('the demo ends with q, and prints its summary to the previous screen', async () => {
    session.type('q');
    expect(await session.ended).toBe(0);
    expect(session.rest()).toMatch(/Evicted from local.*bad-driver: completed, \d+ pods evicted/su);
  });
});
