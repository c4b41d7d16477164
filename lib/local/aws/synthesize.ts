// Synthesizes the stack for local runs, once per state of the sources: what runs here is what would be deployed.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const sources = ['infra', 'lib', 'functions', 'package-lock.json', 'cdk.json'];

/** The folder of the cloud assembly. `onSynth` is called when it has to be made, which takes some seconds. */
export async function synthesize(onSynth: () => void): Promise<string> {
  const cache = path.join(root, '.cache');
  const folder = path.join(cache, `assembly-${hashOf(sources)}`);
  if (existsSync(path.join(folder, 'manifest.json'))) return folder;
  onSynth();
  mkdirSync(cache, { recursive: true });
  for (const old of readdirSync(cache).filter((name) => name.startsWith('assembly-')))
    rmSync(path.join(cache, old), { recursive: true, force: true });
  const making = `${folder}.${process.pid}`;
  await run(making);
  if (existsSync(folder)) rmSync(making, { recursive: true, force: true });
  else renameSync(making, folder);
  return folder;
}

function run(folder: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['infra/app.ts'], {
      cwd: root,
      // Without an account: nothing is deployed that could be compared.
      env: { ...process.env, CDK_OUTDIR: folder, CDK_CONTEXT_JSON: JSON.stringify(context()), CDK_DEFAULT_ACCOUNT: '' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    child.on('error', reject);
    child.on('exit', (status) =>
      status === 0 ? resolve() : reject(new Error(`the stack cannot be synthesized:\n${output.slice(-4000)}`)),
    );
  });
}

/** What the CDK command line adds to the project's own context: where assets lie and what each resource is called. */
function context(): object {
  const own = JSON.parse(readFileSync(path.join(root, 'cdk.json'), 'utf8')) as { context?: object };
  const added = { 'aws:cdk:enable-asset-metadata': true, 'aws:cdk:enable-path-metadata': true };
  return { ...own.context, ...added, config: 'lib/local/aws/sluice.yaml' };
}

function hashOf(names: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of names.flatMap((name) => filesBelow(name)).sort())
    hash.update(file).update(readFileSync(path.join(root, file)));
  return hash.digest('hex').slice(0, 16);
}

function filesBelow(name: string): readonly string[] {
  const full = path.join(root, name);
  if (!existsSync(full)) return [];
  if (statSync(full).isFile()) return [name];
  const entries = readdirSync(full, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)));
}
