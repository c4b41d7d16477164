// Finds or builds the programs in Go that tests start; builds are kept under the hash of everything that decides their bytes.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { ensureGoTool } from '../../scripts/release/goTool.ts';

export const sources = path.join(import.meta.dirname, '..', 'controlplane');

/** As go.mod says. */
const oldestGo = [1, 26] as const;
const requiredTools = ['bash', 'curl', 'openssl', 'setsid'];
/** A cold build compiles about as many; only used to show progress. */
const aboutPackages = 2_700;

export interface Toolchain {
  /** For example `go1.26.8`. */
  readonly version: string;
  readonly os: string;
  readonly arch: string;
}

export type Found =
  | { readonly kind: 'Found'; readonly go: Toolchain }
  | { readonly kind: 'Missing'; readonly install: string };

/** Looks for Go and for the tools that up.sh calls; says what to install where something is missing. */
export function findTools(): Found {
  const hint = `Go ${oldestGo.join('.')} or later from https://go.dev/dl/ and put its bin folder on PATH`;
  const answer = spawnSync('go', ['env', 'GOVERSION', 'GOOS', 'GOARCH'], { cwd: sources, encoding: 'utf8' });
  if (answer.error) return { kind: 'Missing', install: `Go was not found: install ${hint}` };
  const [version = '', os = '', arch = ''] = answer.stdout.split('\n');
  const [major = 0, minor = 0] = version.replace('go', '').split('.').map(Number);
  const isOld = major < oldestGo[0] || (major === oldestGo[0] && minor < oldestGo[1]);
  if (answer.status !== 0 || isOld) {
    const why = answer.stderr.trim() || `it is ${version}`;
    return { kind: 'Missing', install: `Go is too old (${why}): install ${hint}` };
  }
  const missing = requiredTools.filter((tool) => spawnSync('which', [tool]).status !== 0);
  if (missing.length > 0) {
    const packages = 'Debian and Ubuntu: apt-get install bash curl openssl util-linux';
    return { kind: 'Missing', install: `${missing.join(', ')} not found: install them (${packages})` };
  }
  return { kind: 'Found', go: { version, os, arch } };
}

/** The build is reproducible, so these inputs name its result. */
export function sourceHash(go: Toolchain): string {
  const files = readdirSync(sources).filter((file) => /^(go\.(mod|sum)|.*\.go|build\.sh)$/.test(file));
  const hash = createHash('sha256').update(`${go.version} ${go.os} ${go.arch}\n`);
  for (const file of files.sort())
    hash
      .update(`${file}\0`)
      .update(readFileSync(path.join(sources, file)))
      .update('\0');
  return hash.digest('hex').slice(0, 32);
}

/** Path of the binary for these sources, whether it exists or not. */
export function binaryPath(go: Toolchain): string {
  const cache = process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache');
  return path.join(cache, 'sluice', 'controlplane', sourceHash(go), 'controlplane');
}

/** What tests are told of them, by variables. */
export interface GoPrograms {
  readonly SLUICE_CONTROL_PLANE: string;
  readonly SLUICE_HELM: string;
}

/** Control plane and Helm. Throws with what to install where something is missing, and where a build fails. */
export async function ensureGoPrograms(say: (line: string) => void): Promise<GoPrograms> {
  const tools = findTools();
  if (tools.kind === 'Missing') throw new Error(tools.install);
  return { SLUICE_CONTROL_PLANE: await ensureBinary(tools.go, say), SLUICE_HELM: ensureGoTool('helm', say) };
}

/** Builds what is missing; six to seven minutes on two cores with empty Go caches. Throws where the build fails. */
export async function ensureBinary(go: Toolchain, say: (line: string) => void): Promise<string> {
  const target = binaryPath(go);
  if (existsSync(target)) return target;
  say('building etcd, kube-apiserver, kube-scheduler, kube-controller-manager and kubectl as one binary');
  say(`(once, 6 to 7 minutes on two cores; kept as ${target})`);
  mkdirSync(path.dirname(target), { recursive: true });
  const unfinished = `${target}.${process.pid}`;
  await build(unfinished, say);
  renameSync(unfinished, target);
  return target;
}

async function build(target: string, say: (line: string) => void): Promise<void> {
  const started = Date.now();
  const child = spawn(path.join(sources, 'build.sh'), [target], {
    env: { ...process.env, GO_BUILD_FLAGS: '-v' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let [packages, downloads] = [0, 0];
  const problems: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (line.startsWith('go: downloading')) downloads += 1;
    else if (/^[\w.\-/~]+$/.test(line)) packages += 1;
    else problems.push(line);
  });
  const timer = setInterval(() => {
    const seconds = Math.round((Date.now() - started) / 1000);
    const minutes = `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
    say(`  ${minutes}: ${downloads} modules downloaded, ${packages} of about ${aboutPackages} packages compiled`);
  }, 10_000);
  // An interrupted run must not leave the compiler at work.
  const stop = () => child.kill();
  process.once('exit', stop);
  const status = await new Promise((resolve) => child.on('close', resolve));
  process.off('exit', stop);
  clearInterval(timer);
  if (status !== 0) throw new Error(`the build of the control plane failed:\n${problems.slice(-20).join('\n')}`);
}
