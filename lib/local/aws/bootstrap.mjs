// One execution environment's runtime: asks the Runtime API for events, runs the handler, answers. As AWS Lambda's does.
import { existsSync } from 'node:fs';
import http from 'node:http';
import { enableCompileCache, flushCompileCache } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { isMainThread } from 'node:worker_threads';

const { AWS_LAMBDA_RUNTIME_API, LAMBDA_TASK_ROOT, _HANDLER } = process.env;
const [host, port] = AWS_LAMBDA_RUNTIME_API.split(':');
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });

function call(method, route, body) {
  return new Promise((resolve, reject) => {
    const options = { host, port, method, path: `/2018-06-01/runtime${route}`, agent };
    const request = http.request(options, (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () => resolve({ headers: response.headers, body: Buffer.concat(chunks).toString() }));
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end(body);
  });
}

function describe(error) {
  return JSON.stringify({
    errorType: error?.name ?? 'Error',
    errorMessage: String(error?.message ?? error),
    stackTrace: String(error?.stack ?? '').split('\n'),
  });
}

function contextOf(headers) {
  const deadline = Number(headers['lambda-runtime-deadline-ms']);
  return {
    awsRequestId: headers['lambda-runtime-aws-request-id'],
    invokedFunctionArn: headers['lambda-runtime-invoked-function-arn'],
    functionName: process.env.AWS_LAMBDA_FUNCTION_NAME,
    functionVersion: process.env.AWS_LAMBDA_FUNCTION_VERSION,
    memoryLimitInMB: process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
    logGroupName: process.env.AWS_LAMBDA_LOG_GROUP_NAME,
    logStreamName: process.env.AWS_LAMBDA_LOG_STREAM_NAME,
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => deadline - Date.now(),
  };
}

async function load() {
  const [file, name] = _HANDLER.split('.');
  const base = path.join(LAMBDA_TASK_ROOT, file);
  const found = ['.mjs', '.js', '.cjs'].map((extension) => base + extension).find((one) => existsSync(one));
  if (!found)
    throw Object.assign(new Error(`there is no ${base}.mjs, .js or .cjs`), { name: 'Runtime.ImportModuleError' });
  const handler = (await import(pathToFileURL(found).href))[name];
  if (typeof handler === 'function') return handler;
  throw Object.assign(new Error(`${_HANDLER} is not a function`), { name: 'Runtime.HandlerNotFound' });
}

async function main() {
  let handler;
  try {
    handler = await load();
  } catch (error) {
    await call('POST', '/init/error', describe(error));
    process.exit(1);
  }
  let next = call('GET', '/invocation/next');
  // While nothing is asked of it yet: the next environment of this function starts in half the time.
  flushCompileCache();
  for (;;) {
    const { headers, body } = await next;
    const id = headers['lambda-runtime-aws-request-id'];
    process.env._X_AMZN_TRACE_ID = headers['lambda-runtime-trace-id'];
    let answer;
    try {
      const result = await handler(JSON.parse(body), contextOf(headers));
      answer = ['response', JSON.stringify(result ?? null)];
    } catch (error) {
      answer = ['error', describe(error)];
    }
    await call('POST', `/invocation/${id}/${answer[0]}`, answer[1]);
    next = call('GET', '/invocation/next');
  }
}

// The parent's end of the pipe closes when the parent is gone, however it went; so does the Runtime API's connection.
if (isMainThread) {
  const end = () => process.exit(1);
  process.stdin.on('end', end).on('error', end).resume().unref();
}
enableCompileCache(`${LAMBDA_TASK_ROOT}.compiled`);
main().catch(() => process.exit(1));
