// Starts a real Kubernetes control plane for one test file and stops it, whatever happens in between.
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { type ApiClient, createApiClient } from '../../../lib/local/cluster/client.ts';
import { sources } from '../binary.ts';

export interface ControlPlaneOptions {
  /** Besides etcd and kube-apiserver; both by default. */
  readonly components?: readonly ('scheduler' | 'kcm')[];
  /** `--controllers` of kube-controller-manager. By default the in-tree device-taint-eviction-controller is off. */
  readonly controllers?: readonly string[];
  /** `GenericWorkload=true,…`, for all components. */
  readonly featureGates?: string;
  /** Further variables of up.sh, such as APISERVER_FLAGS or AUDIT. */
  readonly environment?: Readonly<Record<string, string>>;
}

export interface KubectlResult {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ControlPlane {
  readonly url: string;
  /** PEM. */
  readonly ca: string;
  /** Of a member of system:masters. */
  readonly token: string;
  /** Path of the administrator's kubeconfig. */
  readonly kubeconfig: string;
  readonly etcdUrl: string;
  /** Logs of the components: `<folder>/<component>.log`. */
  readonly folder: string;
  /** With the administrator's token. */
  readonly client: ApiClient;
  /** Never throws for an exit status; `stdin` is for `-f -`. */
  kubectl(args: readonly string[], stdin?: string): Promise<KubectlResult>;
  stop(): Promise<void>;
}

/** Ready in about three seconds. Throws with the components' last log lines where one does not come up. */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const binary = process.env.SLUICE_CONTROL_PLANE;
  if (!binary) throw new Error('SLUICE_CONTROL_PLANE is not set: run this by `npm run test:cluster`');
  const folder = path.join(mkdtempSync(path.join(process.env.SLUICE_CLUSTER_RUNS ?? tmpdir(), 'run-')), 'state');
  const environment = {
    ...process.env,
    ...options.environment,
    CONTROLPLANE_BIN: binary,
    RUN_DIR: folder,
    COMPONENTS: (options.components ?? ['scheduler', 'kcm']).join(' '),
    KCM_CONTROLLERS: (options.controllers ?? ['resourceclaim-controller']).join(','),
    FEATURE_GATES: options.featureGates ?? '',
  };
  const down = () => {
    spawnSync(path.join(sources, 'down.sh'), { env: environment });
  };
  process.once('exit', down);
  // up.sh cleans up after itself where it fails.
  await promisify(execFile)(path.join(sources, 'up.sh'), { env: environment });
  const value = readEnvironment(path.join(folder, 'env'));
  const ca = readFileSync(value('API_CA'), 'utf8');
  const client = createApiClient({
    url: value('API_SERVER'),
    ca,
    token: value('API_TOKEN'),
    userAgent: 'cluster-test',
  });
  return {
    url: value('API_SERVER'),
    ca,
    token: value('API_TOKEN'),
    kubeconfig: value('KUBECONFIG'),
    etcdUrl: value('ETCD_URL'),
    folder,
    client,
    kubectl: (args, stdin) => kubectl([binary, value('KUBECONFIG')], args, stdin),
    async stop() {
      client.close();
      down();
      process.off('exit', down);
      rmSync(path.dirname(folder), { recursive: true, force: true });
    },
  };
}

/** The `export NAME=value` words that up.sh writes. */
function readEnvironment(file: string): (name: string) => string {
  const words = readFileSync(file, 'utf8').split(/\s+/);
  return (name) => {
    const word = words.find((each) => each.startsWith(`${name}=`));
    if (word === undefined) throw new Error(`${file} has no ${name}`);
    return word.slice(name.length + 1);
  };
}

function kubectl(
  [binary, kubeconfig]: readonly [string, string],
  args: readonly string[],
  stdin: string | undefined,
): Promise<KubectlResult> {
  return new Promise((resolve) => {
    const child = execFile(binary, ['kubectl', '--kubeconfig', kubeconfig, ...args], (error, stdout, stderr) => {
      const code = error?.code;
      resolve({ status: error ? (typeof code === 'number' ? code : 1) : 0, stdout, stderr });
    });
    child.stdin?.end(stdin);
  });
}
