// The compared systems, each on its own control plane, with the processes that are its parts.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Audited, readAudit } from '../../test/cluster/support/audit.ts';
import { type ControlPlane, startControlPlane } from '../../test/cluster/support/controlPlane.ts';
import { commandOf, treeOf, usageOf } from './usage.ts';

export const systemNames = ['sluice', 'in-tree', 'in-tree-raised'] as const;
export type SystemName = (typeof systemNames)[number];

export interface Running {
  readonly name: SystemName;
  readonly controlPlane: ControlPlane;
  /** Process ids by part: of the system, and of the control plane that every system needs. */
  parts(): ReadonlyMap<string, readonly number[]>;
  /** API calls of the system since a time, without watches. */
  calls(since: number): readonly Audited[];
  /** Resolves when the system is idle, so that earlier work is not measured. */
  quiet(): Promise<void>;
  stop(): Promise<void>;
}

/** Client limits of kube-controller-manager; default: 20 calls per second, burst 30. */
const raised = '--kube-api-qps=5000 --kube-api-burst=5000';
const evictionController = 'device-taint-eviction-controller';

export async function startSystem(name: SystemName): Promise<Running> {
  const isSluice = name === 'sluice';
  const controlPlane = await startControlPlane({
    components: ['kcm'],
    controllers: isSluice ? ['resourceclaim-controller'] : [evictionController, 'resourceclaim-controller'],
    environment: { AUDIT: '1', ...(name === 'in-tree-raised' ? { KCM_FLAGS: raised } : {}) },
  });
  const shared = () =>
    ['etcd', 'kube-apiserver'].map((part): [string, readonly number[]] => [part, [pidOf(controlPlane, part)]]);
  const caller = isSluice ? 'sluice' : evictionController;
  const common = {
    name,
    controlPlane,
    calls: (since: number) =>
      readAudit(controlPlane).filter(
        (one) => one.receivedAt >= since && one.verb !== 'watch' && one.userAgent.includes(caller),
      ),
  };
  if (!isSluice) {
    const manager = 'kube-controller-manager';
    const parts = () => new Map([...shared(), [manager, [pidOf(controlPlane, manager)]] as const]);
    return { ...common, parts, quiet: () => untilQuiet(() => parts().get(manager) ?? []), stop: controlPlane.stop };
  }
  const sluice = await startSluice(controlPlane.kubeconfig);
  const own = () => treeOf(sluice.pid).filter((pid) => usageOf(pid) !== undefined);
  return {
    ...common,
    parts() {
      const parts = new Map<string, number[]>(shared().map(([part, pids]) => [part, [...pids]]));
      for (const pid of own()) parts.set(partOf(pid), [...(parts.get(partOf(pid)) ?? []), pid]);
      return parts;
    },
    quiet: () => untilQuiet(own),
    async stop() {
      await sluice.stop();
      await controlPlane.stop();
    },
  };
}

/** Names of Sluice's parts. */
export const sluiceParts: readonly string[] = ['functions, queues and table', 'watcher'];

function partOf(pid: number): string {
  return commandOf(pid).includes('watcher') ? 'watcher' : 'functions, queues and table';
}

/** Starts Sluice like `npm start -- --kubeconfig`. */
async function startSluice(kubeconfig: string): Promise<{ readonly pid: number; stop(): Promise<void> }> {
  const program = path.join(import.meta.dirname, '..', '..', 'bin', 'sluice.ts');
  const child = spawn(process.execPath, [program, 'demo', '--kubeconfig', kubeconfig, '--native', 'own'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said = `${said}${chunk}`.slice(-2000);
  });
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const end = () => void child.kill('SIGKILL');
  process.once('exit', end);
  const { pid } = child;
  if (pid === undefined) throw new Error('Sluice does not start');
  const ended = gone.then(() => {
    throw new Error(`Sluice ended: ${said}`);
  });
  ended.catch(() => {});
  await Promise.race([untilWatched(pid), ended]);
  return {
    pid,
    async stop() {
      process.off('exit', end);
      child.kill('SIGINT');
      await gone;
    },
  };
}

/** Waits for the watcher, the last process to start. */
async function untilWatched(pid: number): Promise<void> {
  while (!treeOf(pid).some((one) => partOf(one) === 'watcher')) await sleep(200);
}

/** Share of a core below which a system counts as idle; heartbeats and polls continue. */
const idle = 0.12;
const between = 1500;
const patience = 240_000;

async function untilQuiet(pids: () => readonly number[]): Promise<void> {
  const spent = () => pids().reduce((sum, pid) => sum + (usageOf(pid)?.processorMs ?? 0), 0);
  const end = Date.now() + patience;
  for (let quiet = 0, before = spent(); quiet < 2; ) {
    await sleep(between);
    const now = spent();
    quiet = now - before < idle * between ? quiet + 1 : 0;
    before = now;
    if (Date.now() > end) throw new Error(`the system was busy for ${patience / 1000} s without anything to do`);
  }
}

function pidOf({ folder }: ControlPlane, part: string): number {
  return Number(readFileSync(path.join(folder, `${part}.pid`), 'utf8'));
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
