// One execution environment of a function: a runtime behind its own Runtime API, made anew after crash, exit and time-out.
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { type FunctionCode, functionArnOf, type Runtime, type StartRuntime } from './runtime.ts';
import { type Failure, type InvocationResult, type RuntimeApi, serveRuntimeApi } from './runtimeApi.ts';

export interface ExecutionEnvironment {
  /** One at a time, as on AWS. A failure is a value, and a line of the function's log. */
  invoke(event: unknown): Promise<InvocationResult>;
  /** Of the child process, where there is one now. */
  pid(): number | undefined;
  /** How often the bundle was loaded. */
  coldStarts(): number;
  /** Resolves when the first load has ended, well or not. */
  ready(): Promise<void>;
  /** Ends the runtime as a lack of memory would. */
  crash(): void;
  stop(): Promise<void>;
}

/** AWS gives 10 s; a laptop that starts ten functions at once may need longer. */
const initSeconds = 30;

export async function startExecutionEnvironment(
  code: FunctionCode,
  startRuntime: StartRuntime,
): Promise<ExecutionEnvironment> {
  const environment = new Environment(code, startRuntime);
  await environment.start();
  return environment;
}

interface Invocation {
  readonly id: string;
  readonly event: unknown;
  readonly done: (result: InvocationResult) => void;
  timer?: NodeJS.Timeout;
  handed?: true;
}

class Environment implements ExecutionEnvironment {
  readonly #code: FunctionCode;
  readonly #startRuntime: StartRuntime;
  readonly #loaded = Promise.withResolvers<void>();
  #api: RuntimeApi | undefined;
  #runtime: Runtime | undefined;
  /** The runtime's open request for an event. */
  #waiting: ServerResponse | undefined;
  #current: Invocation | undefined;
  #initTimer: NodeJS.Timeout | undefined;
  #initFailure: Failure | undefined;
  #coldStarts = 0;
  #stopped = false;

  constructor(code: FunctionCode, startRuntime: StartRuntime) {
    this.#code = code;
    this.#startRuntime = startRuntime;
  }

  async start(): Promise<void> {
    this.#api = await serveRuntimeApi({
      waits: (response) => this.#waits(response),
      answers: (id, result) => id === this.#current?.id && this.#finish(result),
      failsToStart: (failure) => {
        this.#initFailure = failure;
      },
    });
    this.#boot();
  }

  pid = () => this.#runtime?.pid;
  coldStarts = () => this.#coldStarts;
  ready = () => this.#loaded.promise;
  crash = () => void this.#runtime?.kill();

  invoke(event: unknown): Promise<InvocationResult> {
    if (this.#current) throw new Error(`${this.#code.name}: an execution environment runs one invocation at a time`);
    if (this.#stopped) return Promise.resolve(failed('Runtime.Stopped', 'the environment was stopped'));
    return new Promise((done) => {
      this.#current = { id: randomUUID(), event, done };
      if (!this.#runtime) this.#boot();
      this.#hand();
    });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    const runtime = this.#take();
    this.#finish(failed('Runtime.Stopped', 'the environment was stopped'));
    this.#loaded.resolve();
    await runtime?.kill();
    await this.#api?.close();
  }

  #boot(): void {
    this.#coldStarts++;
    this.#initFailure = undefined;
    this.#initTimer = setTimeout(
      () => this.#end(failed('Sandbox.Timedout', `the bundle did not load within ${initSeconds} s`)),
      initSeconds * 1000,
    );
    const runtime = this.#startRuntime(this.#code, this.#api?.address ?? '', (how) => {
      if (this.#runtime !== runtime) return;
      const ended = failed('Runtime.ExitError', `the runtime ended with ${how}`);
      this.#end(this.#initFailure ?? ended);
    });
    this.#runtime = runtime;
  }

  #waits(response: ServerResponse): void {
    clearTimeout(this.#initTimer);
    this.#initTimer = undefined;
    this.#loaded.resolve();
    this.#waiting = response;
    this.#hand();
  }

  /** The time-out begins when the event is handed over; loading has a limit of its own. */
  #hand(): void {
    const invocation = this.#current;
    if (!this.#waiting || !invocation || invocation.handed) return;
    const response = this.#waiting;
    this.#waiting = undefined;
    invocation.handed = true;
    const { timeoutSeconds } = this.#code;
    invocation.timer = setTimeout(
      () => this.#end(failed('Sandbox.Timedout', `the function ran longer than ${timeoutSeconds} s`)),
      timeoutSeconds * 1000,
    );
    response.writeHead(200, {
      'content-type': 'application/json',
      'lambda-runtime-aws-request-id': invocation.id,
      'lambda-runtime-deadline-ms': String(Date.now() + timeoutSeconds * 1000),
      'lambda-runtime-invoked-function-arn': functionArnOf(this.#code),
      'lambda-runtime-trace-id': 'Root=1-00000000-000000000000000000000000;Sampled=0',
    });
    response.end(JSON.stringify(invocation.event));
  }

  /** The runtime is over. After an invocation it is made anew at once; a bundle that does not load waits for the next. */
  #end(failure: Failure): void {
    const wasLoaded = this.#initTimer === undefined;
    const wasInvoked = this.#current !== undefined;
    void this.#take()?.kill();
    this.#loaded.resolve();
    if (wasInvoked) this.#finish(failure);
    else this.#log(failure);
    if (wasLoaded && wasInvoked && !this.#stopped) this.#boot();
  }

  #take(): Runtime | undefined {
    const runtime = this.#runtime;
    this.#runtime = undefined;
    this.#waiting = undefined;
    clearTimeout(this.#initTimer);
    this.#initTimer = undefined;
    return runtime;
  }

  #finish(result: InvocationResult): true {
    const invocation = this.#current;
    this.#current = undefined;
    clearTimeout(invocation?.timer);
    if (result.kind === 'Failed') this.#log(result);
    invocation?.done(result);
    return true;
  }

  #log({ type, message, trace }: Failure): void {
    if (this.#stopped) return;
    const { name, onLog } = this.#code;
    onLog(JSON.stringify({ level: 'ERROR', message, function: name, errorType: type, stack: trace?.join('\n') }));
  }
}

function failed(type: string, message: string): Failure {
  return { kind: 'Failed', type, message };
}
