// Process of a function as in AWS Lambda: loads the bundle and runs one invocation after the other.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { InvocationResult } from '../../lib/local/aws/functionCode.ts';

export interface Invocation {
  readonly id: number;
  readonly event: unknown;
  /** Epoch milliseconds, by the clock of the process that asks. */
  readonly deadline: number;
}

export type Answer = { readonly kind: 'Ready' } | { readonly kind: 'Answered'; readonly result: InvocationResult };

const { LAMBDA_TASK_ROOT = '', _HANDLER = '', AWS_LAMBDA_FUNCTION_NAME = '', BENCH_CLOCK_AHEAD = '0' } = process.env;
const ahead = Number(BENCH_CLOCK_AHEAD);
if (ahead !== 0) {
  const now = Date.now;
  Date.now = () => now() + ahead;
}
const answer = (message: Answer) => process.send?.(message);
const [file = '', name = ''] = _HANDLER.split('.');
const { [name]: handler } = await import(pathToFileURL(path.join(LAMBDA_TASK_ROOT, `${file}.mjs`)).href);

process.on('message', async ({ id, event, deadline }: Invocation) => {
  const context = {
    awsRequestId: String(id),
    functionName: AWS_LAMBDA_FUNCTION_NAME,
    invokedFunctionArn: `arn:aws:lambda:eu-central-1:1:function:${AWS_LAMBDA_FUNCTION_NAME}`,
    getRemainingTimeInMillis: () => deadline + ahead - Date.now(),
  };
  try {
    const value = await handler(event, context);
    answer({ kind: 'Answered', result: { kind: 'Returned', value: value ?? null } });
  } catch (error) {
    const { name: type, message } = error as Error;
    answer({ kind: 'Answered', result: { kind: 'Failed', type, message } });
  }
});
process.on('disconnect', () => process.exit(0));
answer({ kind: 'Ready' });
