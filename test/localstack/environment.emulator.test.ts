// The execution environment that LocalStack's executor plugin starts: its input, its answers, and when it ends.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const program = path.join(import.meta.dirname, 'environment.ts');
const handler = `
export const handler = async (event) => {
  console.log('saw ' + JSON.stringify(event));
  if (event.fails) throw new RangeError('as asked');
  if (event.ends) process.exit(3);
  return { variable: process.env.GIVEN, twice: event.number * 2 };
};`;

describe('an execution environment for LocalStack', () => {
  let folder: string;
  let child: ChildProcess;
  let url: string;

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'sluice-environment-'));
    writeFileSync(path.join(folder, 'index.mjs'), handler);
    child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
    const code = {
      ...{ name: 'tried', folder, handler: 'index.handler', timeoutSeconds: 10, memoryMiB: 128 },
      environment: { GIVEN: 'by the stack' },
    };
    child.stdin?.write(`${JSON.stringify(code)}\n`);
    const port = await new Promise<string>((resolve, reject) => {
      if (child.stdout) createInterface({ input: child.stdout }).once('line', resolve);
      child.once('exit', (status) => reject(new Error(`ended with ${status} before it listened`)));
    });
    url = `http://127.0.0.1:${port}/`;
  });
  afterAll(() => {
    child?.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  const invoke = async (event: object) => {
    const body = JSON.stringify({ 'invoke-id': 'one', payload: JSON.stringify(event) });
    const response = await fetch(url, { method: 'POST', body });
    const { payload, ...rest } = (await response.json()) as { isError: boolean; payload: string; logs: string };
    return { ...rest, value: JSON.parse(payload) as unknown };
  };

  it('an execution environment answers with the return value and the printed lines of the function', async () => {
    const answer = await invoke({ number: 21 });
    expect(answer).toMatchObject({ isError: false, value: { variable: 'by the stack', twice: 42 } });
    expect(answer.logs).toContain('saw {"number":21}');
  });

  it('an execution environment answers with the error of a handler that throws, and continues', async () => {
    const value = { errorType: 'RangeError', errorMessage: 'as asked' };
    expect(await invoke({ fails: true })).toMatchObject({ isError: true, value });
    expect(await invoke({ number: 1 })).toMatchObject({ isError: false });
  });

  it('an execution environment answers with an error if the function exits its process, and starts another', async () => {
    expect(await invoke({ ends: true })).toMatchObject({ isError: true, value: { errorType: 'Runtime.ExitError' } });
    expect(await invoke({ number: 2 })).toMatchObject({ isError: false, value: { twice: 4 } });
  });

  it('an execution environment ends when its input ends, as it does when LocalStack is killed', async () => {
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.stdin?.end();
    expect(await gone).toBe(0);
  });
});
