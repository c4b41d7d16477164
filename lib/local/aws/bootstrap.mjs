// One execution environment's process: asks the Runtime API for events, runs the handler, answers. As AWS Lambda's runtime does.
import http from 'node:http';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [host, port] = process.env.AWS_LAMBDA_RUNTIME_API.split(':');
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
const base = '/2018-06-01/runtime';

function call(method, route, body) {
  return new Promise((resolve, reject) => {
    const request = http.request({ host, port, method, path: base + route, agent }, (response) => {
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
    trace: String(error?.stack ?? '').split('\n'),
  });
}

function contextOf(headers) {
  const deadline = Number(headers['lambda-runtime-deadline-ms']);
  return {
    awsRequestId: headers['lambda-runtime-aws-request-id'],
    invokedFunctionArn: headers['lambda-runtime-invoked-function-arn'],
    functionName: process.env.AWS_LAMBDA_FUNCTION_NAME,
    functionVersion: '$LATEST',
    memoryLimitInMB: process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
    logGroupName: process.env.AWS_LAMBDA_LOG_GROUP_NAME,
    logStreamName: process.env.AWS_LAMBDA_LOG_STREAM_NAME,
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => deadline - Date.now(),
  };
}

async function main() {
  const [file, name] = process.env._HANDLER.split('.');
  let handler;
  try {
    handler = (await import(pathToFileURL(path.join(process.env.LAMBDA_TASK_ROOT, `${file}.mjs`)).href))[name];
    if (typeof handler !== 'function') throw new Error(`${process.env._HANDLER} is not a function`);
  } catch (error) {
    await call('POST', '/init/error', describe(error));
    process.exit(1);
  }
  for (;;) {
    const next = await call('GET', '/invocation/next');
    const id = next.headers['lambda-runtime-aws-request-id'];
    try {
      const result = await handler(JSON.parse(next.body), contextOf(next.headers));
      await call('POST', `/invocation/${id}/response`, JSON.stringify(result ?? null));
    } catch (error) {
      await call('POST', `/invocation/${id}/error`, describe(error));
    }
  }
}

// The Runtime API is gone when the process that serves it is: then there is nothing left to run for.
main().catch(() => process.exit(1));
