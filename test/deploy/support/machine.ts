// A machine with Node, npm and Helm, two packed releases, an emulated account with EKS, and a real control plane behind it.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, symlinkSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import type { ControlPlane } from '../../cluster/support/controlPlane.ts';
import { type ChartKubelet, startChartKubelet } from './chartKubelet.ts';
import { type Cloud, connect } from './cloud.ts';
import { type FakeEks, startFakeEks } from './eks.ts';
import { startEmulator } from './emulator.ts';
import { clusterName, type FleetSize, type TestFleet } from './fleet.ts';
import { type Packed, packRelease } from './packed.ts';
import { startRealFleet } from './realFleet.ts';

export interface ReleaseUnderTest {
  readonly version: string;
  readonly image: string;
  readonly userAgent: string;
  /** The command of a page that installs its archive, which lies in the folder where it is typed. */
  readonly installedBy: string;
}

export interface Said {
  readonly status: number;
  readonly said: string;
}

export interface Machine {
  readonly eks: FakeEks;
  readonly fleet: TestFleet;
  readonly cloud: Cloud;
  readonly kubelet: ChartKubelet;
  /** For an administrator, past EKS. */
  readonly controlPlane: ControlPlane;
  /** The folder where commands are typed, empty at first. */
  readonly folder: string;
  /** `sluice` of that release, as typed; never throws for an exit status. */
  sluice(release: ReleaseUnderTest, ...words: readonly string[]): Promise<Said>;
  /** A command of a page, as typed in bash. */
  type(release: ReleaseUnderTest, command: string): Promise<Said>;
  /** Helm with the administrator's kubeconfig; `CHART` is the one of that release. */
  helm(release: ReleaseUnderTest, ...words: readonly string[]): Promise<Said>;
  stop(): Promise<void>;
}

/** Where npm finds its registry and certificates on this machine. */
const npmSettings = {
  npm_config_userconfig: process.env.npm_config_userconfig ?? path.join(homedir(), '.npmrc'),
  npm_config_cache: process.env.npm_config_cache ?? path.join(homedir(), '.npm'),
  npm_config_prefer_offline: 'true',
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) =>
      /^(NODE_EXTRA_CA_CERTS|SSL_CERT_\w+|https?_proxy|no_proxy)$/i.test(name),
    ),
  ),
};

export async function startMachine(releases: readonly ReleaseUnderTest[], size: FleetSize): Promise<Machine> {
  const root = mkdtempSync(path.join(process.env.SLUICE_DEPLOY_RUNS ?? tmpdir(), 'install-'));
  const inside = (name: string) => {
    mkdirSync(path.join(root, name), { recursive: true });
    return path.join(root, name);
  };
  const [home, tools, folder] = [inside('home'), inside('tools'), inside('empty')];
  symlinkSync(process.env.SLUICE_HELM ?? '', path.join(tools, 'helm'));
  symlinkSync(process.env.SLUICE_AWS_CLI ?? '', path.join(tools, 'aws'));
  // Beside the start of control plane and account: npm and the processes mostly wait.
  const packing = Promise.all(
    releases.map(
      async (release) =>
        [
          release.version,
          await packRelease(inside(`release-${release.version}`), { ...release, npmSettings }),
        ] as const,
    ),
  );
  packing.catch(() => {});
  const stops: (() => Promise<void> | void)[] = [];
  const stop = async () => {
    for (const one of stops.splice(0).reverse()) await one();
  };
  try {
    const eks = await startFakeEks(clusterName);
    stops.push(eks.stop);
    const controllers = ['resourceclaim-controller', 'namespace-controller', 'garbage-collector-controller'];
    const { controlPlane, ...fleet } = await startRealFleet(root, size, {
      authenticate: eks.authenticate,
      controllers,
    });
    stops.push(fleet.stop);
    eks.describe({ endpoint: fleet.props.endpoint, certificateAuthority: fleet.props.certificateAuthority ?? '' });
    const emulator = await startEmulator({ enforceIam: false, eks: eks.endpoint });
    stops.push(emulator.stop);
    eks.trust(emulator.environment.AWS_ENDPOINT_URL ?? '');
    const cloud = connect(emulator.environment);
    stops.push(cloud.close);
    const packed = new Map<string, Packed>(await packing);
    const of = ({ version }: ReleaseUnderTest) => {
      const found = packed.get(version);
      if (!found) throw new Error(`release ${version} was not packed`);
      return found;
    };
    const programs = new Map(releases.map((release) => [release.image, of(release).watcher]));
    const { roleOf } = eks;
    const { environment } = emulator;
    const kubelet = startChartKubelet({ controlPlane, folder: root, programs, roleOf, environment });
    stops.push(kubelet.stop);
    const type = (file: string, words: readonly string[], first: readonly string[]) => {
      const PATH = [...first, tools, path.dirname(process.execPath), '/usr/bin', '/bin'].join(path.delimiter);
      const env = { ...environment, ...npmSettings, HOME: home, USER: 'ada', PATH };
      return run(file, words, { cwd: folder, env });
    };
    return {
      eks,
      fleet,
      cloud,
      kubelet,
      controlPlane,
      folder,
      sluice: (release, ...words) => type('sluice', words, [of(release).bin]),
      type: (release, command) => type('bash', ['-c', command], [of(release).bin]),
      helm: (release, ...words) =>
        type(
          'helm',
          [...words.map((word) => (word === 'CHART' ? of(release).chart : word)), '--kubeconfig', fleet.kubeconfig],
          [],
        ),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function run(
  file: string,
  words: readonly string[],
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<Said> {
  return new Promise((resolve) => {
    execFile(file, words, { ...options, maxBuffer: 1 << 26 }, (error, out, err) => {
      const code = error?.code;
      resolve({ status: typeof code === 'number' ? code : error ? 1 : 0, said: `${out}${err}` });
    });
  });
}
