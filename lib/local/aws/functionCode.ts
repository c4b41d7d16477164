// Code and environment of a function for an execution environment, and results of its invocations.
import { arnOf, localRegion } from './account.ts';

export interface FunctionCode {
  readonly name: string;
  /** Folder of the bundle. */
  readonly folder: string;
  /** `index.handler`. */
  readonly handler: string;
  readonly timeoutSeconds: number;
  readonly memoryMiB: number;
  readonly environment: Readonly<Record<string, string>>;
  /** Called with each line that the function prints. */
  readonly onLog: (line: string) => void;
}

/** `type`: error type as in AWS Lambda: the handler's error, or `Runtime.*` and `Sandbox.*` for errors of the runtime. */
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

/** The function's variables and the reserved ones of AWS Lambda, but none of this process. */
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
