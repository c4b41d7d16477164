// One execution environment behind a port of its own, for the executor plugin; the first line of its input describes its function.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { createExecutionEnvironment } from '../../lib/local/aws/executionEnvironment.ts';
import type { FunctionCode, InvocationResult } from '../../lib/local/aws/functionCode.ts';

const input = createInterface({ input: process.stdin });
input.once('line', (line) => void serve(JSON.parse(line) as Omit<FunctionCode, 'onLog'>));
// LocalStack has ended or stopped this environment; the function's thread ends with this process.
input.once('close', () => process.exit(0));

async function serve(code: Omit<FunctionCode, 'onLog'>): Promise<void> {
  let printed: string[] = [];
  const environment = createExecutionEnvironment([{ ...code, onLog: (line) => printed.push(line) }]);
  const server = createServer(async (request, response) => {
    const { payload } = JSON.parse(await bodyOf(request)) as { payload: string };
    const result = await environment.invoke(code.name, payload === '' ? null : JSON.parse(payload));
    const logs = ['START', ...printed, 'END'].map((line) => `${line}\n`).join('');
    printed = [];
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ...answerOf(result), logs }));
  });
  server.keepAliveTimeout = 0;
  await environment.load(code.name);
  server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
}

/** As AWS Lambda words it for the function's caller. */
function answerOf(result: InvocationResult): { readonly isError: boolean; readonly payload: string } {
  if (result.kind === 'Returned') return { isError: false, payload: JSON.stringify(result.value ?? null) };
  const { type, message, trace } = result;
  return { isError: true, payload: JSON.stringify({ errorType: type, errorMessage: message, trace: trace ?? [] }) };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
