// A function as an execution environment takes it, what an invocation of it comes to, and the variables that it sees.
import { arnOf, localRegion } from './account.ts';

export interface FunctionCode {
  readonly name: string;
  /** Holds the bundle. */
  readonly folder: string;
  /** `index.handler`. */
  readonly handler: string;
  readonly timeoutSeconds: number;
  readonly memoryMiB: number;
  readonly environment: Readonly<Record<string, string>>;
  /** Takes each line that the function prints. */
  readonly onLog: (line: string) => void;
}

/** `type` as AWS Lambda names it: the handler's own error, or `Runtime.*` and `Sandbox.*` where the runtime failed. */
export interface Failure {
  readonly kind: 'Failed';
  readonly type: string;
  readonly message: string;
  readonly trace?: readonly string[];
}
export type InvocationResult = { readonly kind: 'Returned'; readonly value: unknown } | Failure;

export function failed(type: string, message: string): Failure {
  return { kind: 'Failed', type, message };
}

/** The reserved variables of AWS Lambda beside the function's own, and none of this process. */
export function variablesOf(code: FunctionCode): Record<string, string> {
  return {
    ...code.environment,
    AWS_DEFAULT_REGION: localRegion,
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(code.memoryMiB),
    AWS_LAMBDA_FUNCTION_NAME: code.name,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${code.name}`,
    AWS_LAMBDA_LOG_STREAM_NAME: 'local',
    LAMBDA_TASK_ROOT: code.folder,
    TZ: 'UTC',
    _HANDLER: code.handler,
  };
}

export function functionArnOf(code: FunctionCode): string {
  return arnOf('lambda', `function:${code.name}`);
}
