// Functions in threads of one process: separate variables, output and failures, and a limit of concurrent invocations.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createExecutionEnvironment, type ExecutionEnvironment } from '../../../lib/local/aws/executionEnvironment.ts';
import type { FunctionCode } from '../../../lib/local/aws/functionCode.ts';
import { createFunctionPool } from '../../../lib/local/aws/functionPool.ts';

/** Does what its event asks. A waiting invocation ends at the event `release`. */
const handler = `
const atLoad = process.env.GIVEN;
let waiting = [];
export const handler = async (event, context) => {
  console.log('saw ' + event.do);
  if (event.do === 'throw') throw new RangeError('as asked');
  if (event.do === 'exit') process.exit(3);
  if (event.do === 'wait') await new Promise((resolve) => waiting.push(resolve));
  if (event.do === 'release') for (const resolve of waiting.splice(0)) resolve();
  const later = await Promise.resolve().then(() => process.env.GIVEN);
  return { atLoad, later, name: context.functionName, variables: Object.keys(process.env).filter((name) => !name.startsWith('AWS_')) };
};`;

describe('an execution environment', () => {
  let folder: string;
  let printed: string[];
  let environments: ExecutionEnvironment[];
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'sluice-functions-'));
    printed = [];
    environments = [];
  });
  afterEach(async () => {
    await Promise.all(environments.map((one) => one.stop()));
    rmSync(folder, { recursive: true, force: true });
  });

  const code = (name: string, text = handler, timeoutSeconds = 60): FunctionCode => {
    mkdirSync(path.join(folder, name));
    writeFileSync(path.join(folder, name, 'index.mjs'), text);
    return {
      ...{ name, folder: path.join(folder, name), handler: 'index.handler', timeoutSeconds, memoryMiB: 128 },
      environment: { GIVEN: `to ${name}` },
      onLog: (line) => printed.push(`${name}: ${line}`),
    };
  };
  const open = (...functions: readonly FunctionCode[]) => {
    const environment = createExecutionEnvironment(functions);
    environments.push(environment);
    return environment;
  };
  const does = (what: string) => ({ do: what });
  const errors = () => printed.filter((line) => line.includes('"level":"ERROR"'));

  it('each function has its own variables, at load and later, and its own output', async () => {
    const environment = open(code('one'), code('other'));
    const answers = await Promise.all(['one', 'other', 'one'].map((name) => environment.invoke(name, does('nothing'))));
    expect(answers).toMatchObject([
      { kind: 'Returned', value: { atLoad: 'to one', later: 'to one', name: 'one' } },
      { kind: 'Returned', value: { atLoad: 'to other', later: 'to other', name: 'other' } },
      { kind: 'Returned', value: { atLoad: 'to one', later: 'to one', name: 'one' } },
    ]);
    expect(printed.toSorted()).toEqual(['one: saw nothing', 'one: saw nothing', 'other: saw nothing']);
    expect(environment.coldStarts()).toBe(1);
  });

  it('a function sees none of the variables of this process', async () => {
    const answer = await open(code('one')).invoke('one', does('nothing'));
    const variables = ['GIVEN', 'LAMBDA_TASK_ROOT', 'TZ', '_HANDLER'];
    expect(answer).toMatchObject({ kind: 'Returned', value: { variables } });
  });

  it('an execution environment runs fifty invocations of one function at once', async () => {
    const environment = open(code('one'));
    const waiting = Array.from({ length: 50 }, () => environment.invoke('one', does('wait')));
    await until(() => printed.length === 50);
    expect(environment.running()).toBe(50);
    await environment.invoke('one', does('release'));
    expect((await Promise.all(waiting)).every(({ kind }) => kind === 'Returned')).toBe(true);
    expect(environment.running()).toBe(0);
  });

  it('a handler that throws is answered with its error, and the next invocation runs in the same thread', async () => {
    const environment = open(code('one'));
    expect(await environment.invoke('one', does('throw'))).toMatchObject({ type: 'RangeError', message: 'as asked' });
    expect(await environment.invoke('one', does('nothing'))).toMatchObject({ kind: 'Returned' });
    expect(environment.coldStarts()).toBe(1);
    expect(errors()).toHaveLength(1);
  });

  it('all invocations in a thread that exits fail, and the next one gets a new thread', async () => {
    const environment = open(code('one'), code('other'));
    const beside = environment.invoke('other', does('wait'));
    await until(() => printed.includes('other: saw wait'));
    expect(await environment.invoke('one', does('exit'))).toMatchObject({ type: 'Runtime.ExitError' });
    expect(await beside).toMatchObject({ type: 'Runtime.ExitError' });
    expect(await environment.invoke('one', does('nothing'))).toMatchObject({ kind: 'Returned' });
    expect(environment.coldStarts()).toBe(2);
  });

  it('an invocation that exceeds its timeout fails, the others in its thread finish, and the next one gets a new thread', async () => {
    const environment = open(code('hasty', handler, 0.05), code('other'));
    await environment.load('hasty');
    const beside = environment.invoke('other', does('nothing'));
    expect(await environment.invoke('hasty', does('wait'))).toMatchObject({ type: 'Sandbox.Timedout' });
    expect(await beside).toMatchObject({ kind: 'Returned' });
    expect(await environment.invoke('other', does('nothing'))).toMatchObject({ kind: 'Returned' });
    expect(environment.coldStarts()).toBe(2);
  });

  it('an invocation whose bundle still loads while another one in its thread exceeds its timeout is not lost', async () => {
    const slow = `await new Promise((resolve) => setTimeout(resolve, 1000));\n${handler}`;
    const environment = open(code('hasty', handler, 0.05), code('other', slow));
    await environment.load('hasty');
    const beside = environment.invoke('other', does('nothing'));
    expect(await environment.invoke('hasty', does('wait'))).toMatchObject({ type: 'Sandbox.Timedout' });
    expect(await beside).toMatchObject({ kind: 'Returned' });
  });

  it('an invocation of a bundle that cannot be imported fails, and the next one imports it again', async () => {
    const broken = code('one', 'export const handler = ;');
    const environment = open(broken);
    expect(await environment.invoke('one', does('nothing'))).toMatchObject({ type: 'SyntaxError' });
    writeFileSync(path.join(broken.folder, 'index.mjs'), handler);
    expect(await environment.invoke('one', does('nothing'))).toMatchObject({ kind: 'Returned' });
  });

  it('a pool runs no more invocations of a function at a time than it may, and the next one waits', async () => {
    const pool = createFunctionPool({ name: 'one', environments: [open(code('one'))], sideBySide: 2 });
    const first = [pool.invoke(does('wait')), pool.invoke(does('wait'))];
    await until(() => printed.length === 2);
    const third = pool.invoke(does('nothing'));
    expect(pool.counts()).toMatchObject({ running: 2 });
    environments[0]?.crash();
    await Promise.all(first);
    expect(await third).toMatchObject({ kind: 'Returned' });
    expect(pool.counts()).toEqual({ invocations: 3, failures: 2, running: 0 });
  });
});

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}
