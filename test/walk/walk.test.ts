// docs/walk.md names the files of one eviction; the eviction is played in a process of its own, under V8's coverage.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
const page = readFileSync(path.join(root, 'docs/walk.md'), 'utf8');
const named = [...page.matchAll(/^- \[`(lib\/[^`]+)`\]/gm)].map(([, file]) => file ?? '');

describe('docs/walk.md', () => {
  it('names each file that takes part in one eviction, and no other', () => {
    const program = path.join(root, 'test/walk/filesOfOneEviction.ts');
    const answer = execFileSync(process.execPath, [program], { encoding: 'utf8', timeout: 60_000 });
    const { deletes, files } = JSON.parse(answer) as { deletes: number; files: readonly string[] };
    expect(deletes).toBe(2);
    expect(files.length).toBeGreaterThan(100);
    // After a change on purpose: node scripts/generateWalk.ts
    expect([...named].sort()).toEqual([...files].sort());
  });

  it('names each file once', () => {
    expect(named.filter((file, i) => named.indexOf(file) !== i)).toEqual([]);
  });
});

describe('from an accepted rule to the DELETE of its first pod', () => {
  it('at most 14 calls wait for each other', () => {
    const program = path.join(root, 'test/walk/roundTrips.ts');
    const answer = execFileSync(process.execPath, [program], { encoding: 'utf8', timeout: 60_000 });
    const { roundTrips, calls } = JSON.parse(answer) as { roundTrips: number; calls: readonly string[] };
    expect(calls.filter((call) => /evict DELETE/.test(call))).toHaveLength(1);
    // The DELETE arrives half a call after it was sent. After a change on purpose: the printed calls say what waits for what.
    expect(roundTrips, calls.join('\n')).toBeLessThanOrEqual(14.5);
  });
});
