// Failures of a control plane: a component is killed and started again, etcd's folder is copied, restored or lost.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { ControlPlane } from './controlPlane.ts';
import { waitFor } from './waitFor.ts';

type Component = 'etcd' | 'kube-apiserver';
type Place = Pick<ControlPlane, 'folder' | 'client'>;

const pidOf = ({ folder }: Pick<Place, 'folder'>, name: Component) =>
  Number(readFileSync(path.join(folder, `${name}.pid`), 'utf8'));

/** With SIGKILL; it runs no longer when this returns. */
export async function kill(at: Place, name: Component): Promise<void> {
  const pid = pidOf(at, name);
  process.kill(pid, 'SIGKILL');
  await waitFor(async () => (isRunning(pid) ? undefined : true));
}

/** With its own arguments: at the same address, with the same certificates and tokens. */
export async function startAgain(at: Place, name: Component): Promise<void> {
  execFileSync('bash', [path.join(at.folder, `${name}.start`)]);
  if (name === 'kube-apiserver') await untilReady(at);
}

async function untilReady({ client }: Place): Promise<void> {
  await waitFor(async () => {
    const answer = await client.call('GET', '/readyz').catch(() => undefined);
    return answer?.status === 200 ? true : undefined;
  }, 60_000);
}

/** As a disk snapshot is taken: of one instant, while etcd is at work. */
export function copyEtcd(at: Place): string {
  const copy = path.join(at.folder, 'etcd-copy');
  const pid = pidOf(at, 'etcd');
  process.kill(pid, 'SIGSTOP');
  try {
    cpSync(path.join(at.folder, 'etcd'), copy, { recursive: true });
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  return copy;
}

/**
 * The cluster as it was when the copy was taken; without a copy another one, with nothing in it, under the same address. Answers when the
 * one before had ended and this one had not begun.
 */
export async function beginFrom(at: Place, copy: string | undefined): Promise<number> {
  await kill(at, 'kube-apiserver');
  await kill(at, 'etcd');
  const between = Date.now();
  const folder = path.join(at.folder, 'etcd');
  rmSync(folder, { recursive: true });
  if (copy !== undefined) cpSync(copy, folder, { recursive: true });
  await startAgain(at, 'etcd');
  await startAgain(at, 'kube-apiserver');
  return between;
}

/** A zombie process counts as ended. */
function isRunning(pid: number): boolean {
  const { status, stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return status === 0 && !stdout.startsWith('Z');
}
