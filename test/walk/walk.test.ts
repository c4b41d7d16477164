// docs/walk.md lists the files of one eviction, which is simulated in a process of its own under V8 coverage.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
const page = readFileSync(path.join(root, 'docs/walk.md'), 'utf8');
const named = [...page.matchAll(/^- \[`(lib\/[^`]+)`\]/gm)].map(([, file]) => file ?? '');

describe('the walk through one eviction', () => {
  it('docs/walk.md names every file that takes part in one eviction, and no other', () => {
    const program = path.join(root, 'test/walk/filesOfOneEviction.ts');
    const answer = execFileSync(process.execPath, [program], { encoding: 'utf8', timeout: 240_000 });
    const { deletes, files } = JSON.parse(answer) as { deletes: number; files: readonly string[] };
    expect(deletes).toBe(2);
    expect(files.length).toBeGreaterThan(100);
    // After an intended change: node scripts/generateWalk.ts
    expect([...named].sort()).toEqual([...files].sort());
  });

  it('docs/walk.md names each file once', () => {
    expect(named.filter((file, i) => named.indexOf(file) !== i)).toEqual([]);
  });
});

describe('the latency of a first eviction', () => {
  it('the first DELETE after a rule is accepted waits for at most 14 sequential calls', () => {
    const program = path.join(root, 'test/walk/roundTrips.ts');
    const answer = execFileSync(process.execPath, [program], { encoding: 'utf8', timeout: 240_000 });
    const { roundTrips, calls } = JSON.parse(answer) as { roundTrips: number; calls: readonly string[] };
    expect(calls.filter((call) => /evict DELETE/.test(call))).toHaveLength(1);
    // The DELETE arrives half a round trip after it was sent. The printed calls show which waits for which.
    expect(roundTrips, calls.join('\n')).toBeLessThanOrEqual(14.5);
  });
});
