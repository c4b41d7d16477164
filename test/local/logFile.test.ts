// The log file of a local run.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createLogFile } from '../../lib/local/logFile.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'sluice-log-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const fine = '{"level":"INFO","message":"a"}';
const error = '{"level":"ERROR","message":"a"}';

it.each([
  ['a temporary log without errors is removed at the end', true, fine, false],
  ['a temporary log with an error stays to be read', true, error, true],
  ['a log in a folder of its own stays in any case', false, fine, true],
])('the log of a local run: %s', async (name, isTemporary, line, stays) => {
  const file = path.join(folder, `${name.replaceAll(' ', '-')}.log`);
  const logs = createLogFile(file, { isTemporary });
  logs.write('watcher', line);
  await expect.poll(() => existsSync(file)).toBe(true);
  logs.close();
  await expect.poll(() => existsSync(file)).toBe(stays);
});
