// The same environment without a process: the handler is imported here; one set of variables serves all functions.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ExecutionEnvironment, FunctionCode, InvocationResult } from './executionEnvironment.ts';

type Handler = (event: unknown, context: object) => Promise<unknown>;

/** For debuggers: breakpoints work, crashes do not stay apart. */
export async function startInProcess(code: FunctionCode): Promise<ExecutionEnvironment> {
  Object.assign(process.env, code.environment);
  const [file = 'index', name = 'handler'] = code.handler.split('.');
  const module: Record<string, unknown> = await import(pathToFileURL(path.join(code.folder, `${file}.mjs`)).href);
  const handler = module[name];
  if (typeof handler !== 'function') throw new Error(`${code.name}: ${code.handler} is not a function`);
  let invocations = 0;
  return {
    pid: () => undefined,
    async invoke(event): Promise<InvocationResult> {
      const deadline = Date.now() + code.timeoutSeconds * 1000;
      const context = {
        awsRequestId: `${code.name}-${++invocations}`,
        functionName: code.name,
        getRemainingTimeInMillis: () => deadline - Date.now(),
      };
      try {
        return { kind: 'Returned', value: await (handler as Handler)(event, context) };
      } catch (error) {
        return { kind: 'Failed', error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
      }
    },
    stop: async () => {},
  };
}
