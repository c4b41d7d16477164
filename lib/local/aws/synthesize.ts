// Synthesizes the stack for local runs, so that a local run uses the template that would be deployed.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

/** Writes the cloud assembly into `folder`. */
export function synthesize(root: string, folder: string, signal?: AbortSignal): Promise<void> {
  const context = JSON.stringify(contextOf(root));
  // Without an account, so that synthesis compares nothing with a deployed stack.
  const env = { ...process.env, CDK_OUTDIR: folder, CDK_CONTEXT_JSON: context, CDK_DEFAULT_ACCOUNT: '' };
  return runNode(root, ['infra/app.ts'], { env, signal, what: 'the stack cannot be synthesized' });
}

/** Rejects with the end of the program's output if its exit status is not 0. */
export function runNode(
  root: string,
  args: readonly string[],
  { env = process.env, what, signal }: { env?: NodeJS.ProcessEnv; what: string; signal?: AbortSignal | undefined },
): Promise<void> {
  return new Promise((resolve, reject) => {
    // Node would keep compiled code of tools in the system's folder for temporary files.
    const own = { ...env, NODE_DISABLE_COMPILE_CACHE: '1' };
    const child = spawn(process.execPath, args, { cwd: root, env: own, stdio: ['ignore', 'pipe', 'pipe'], signal });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    child.on('error', reject);
    child.on('exit', (status) => (status === 0 ? resolve() : reject(new Error(`${what}:\n${output.slice(-4000)}`))));
  });
}

/** The project's context plus what the CDK command line adds: asset and resource path metadata. */
function contextOf(root: string): object {
  const own = JSON.parse(readFileSync(path.join(root, 'cdk.json'), 'utf8')) as { context?: object };
  const added = { 'aws:cdk:enable-asset-metadata': true, 'aws:cdk:enable-path-metadata': true };
  return { ...own.context, ...added, config: 'lib/local/aws/sluice.yaml' };
}
