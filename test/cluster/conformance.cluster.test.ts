// The comparison with the in-tree controller can fail: it reports a wrong decision that is planted in Sluice.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import type { History } from '../conformance/history.ts';

const root = path.join(import.meta.dirname, '..', '..');
const folder = mkdtempSync(path.join(tmpdir(), 'sluice-planted-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const device = { driver: 0, pool: 0, device: 0 };
/** The only toleration has no effect: it satisfies a scheduler, and the in-tree controller evicts nevertheless. */
const history: History = {
  world: {
    slices: [],
    rules: [],
    claims: [
      {
        results: [{ ...device, tolerations: [{ operator: 'Exists' }] }],
        reservedFor: [{ kind: 'Pod', pod: 0 }],
      },
    ],
    pods: [{ references: [{ claim: 0, by: 'name' }], bound: true }],
  },
  changes: [
    {
      kind: 'Rule',
      of: 0,
      spec: {
        selector: { driver: 0 },
        taint: { key: 'k1', effect: 'NoExecute', added: { from: 'start', seconds: 0 } },
      },
    },
    { kind: 'Bind', of: 0 },
  ],
};

function conformance(...args: readonly string[]): Promise<{ readonly status: number; readonly said: string }> {
  const run = promisify(execFile)(process.execPath, ['test/conformance/run.ts', ...args], { cwd: root });
  return run.then(
    ({ stdout }) => ({ status: 0, said: stdout }),
    (error: { code: number; stdout: string }) => ({ status: error.code, said: error.stdout }),
  );
}

it('a wrong decision that is planted is reported with the shortest history and status 1, and without it the history has no difference', async () => {
  const file = path.join(folder, 'history.json');
  writeFileSync(file, JSON.stringify(history));
  const args = ['--history', file, '--shrink', '1'];
  expect(await conformance(...args)).toMatchObject({ status: 0, said: expect.stringContaining('1 passed, 0 failed') });
  const { status, said } = await conformance(...args, '--plant', 'emptyEffectTolerates');
  expect([status, said]).toEqual([1, expect.stringContaining('0 passed, 1 failed')]);
  expect(said).toMatch(/pod pod-0\n {4}in-tree: deleted .*\n {4}Sluice: {2}live/);
  const [, shortest = '{}'] = /--history FILE: (.*)/.exec(said) ?? [];
  expect(JSON.parse(shortest).changes).toHaveLength(1);
}, 400_000);

it('a setting that does not exist cannot be planted, with status 2', async () => {
  expect(await conformance('--plant', 'nothing')).toMatchObject({ status: 2 });
});
