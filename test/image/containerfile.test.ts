// The image as far as it can be known without a container engine: its base, its user, its files, and its build played in a folder.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readText, root, trackedFiles } from '../house/sources.ts';
import { type BuildStage, copiesOf, isSent, lastOf, readContainerfile } from './containerfile.ts';

const { args, stages } = readContainerfile(readText('deploy/Containerfile'));
const [build, image] = stages as [BuildStage, BuildStage];
const ignore = readText('.dockerignore');
const files = trackedFiles();
const { optionalDependencies } = JSON.parse(readText('toolchain/package.json')) as {
  optionalDependencies: Record<string, string>;
};
const entrypoint = JSON.parse(lastOf(image, 'ENTRYPOINT') ?? '') as string[];

interface PodSpec {
  readonly securityContext: { readonly runAsUser: number; readonly runAsGroup: number };
  readonly containers: readonly { readonly command?: string[]; readonly resources: { limits: { memory: string } } }[];
}
const podSpecs = ['manifests/watcher-deployment.yaml', 'outbound/executor-deployment.yaml'].map((file) => {
  const manifest = parse(readText(`deploy/${file}`)) as { spec: { template: { spec: PodSpec } } };
  return manifest.spec.template.spec;
});

describe('deploy/Containerfile', () => {
  it('has one base for both stages, pinned to a version, a distribution and, if somebody publishes it, a digest', () => {
    expect(stages).toHaveLength(2);
    for (const { base } of stages) expect(base).toBe(args.NODE);
    expect(args.NODE).toMatch(/^docker\.io\/library\/node:\d+\.\d+\.\d+-bookworm-slim(@sha256:[0-9a-f]{64})?$/);
  });

  it('runs on the Node that everything is tested on', () => {
    const [, version] = /node:(\d+\.\d+\.\d+)-/.exec(args.NODE ?? '') ?? [];
    expect(new Set(Object.values(optionalDependencies))).toEqual(new Set([version]));
    expect(`v${version}`).toBe(process.version);
  });

  it('is run by a user that is not root, by number, and by the one that the chart names', () => {
    const [user, group] = (lastOf(image, 'USER') ?? '').split(':').map(Number);
    expect(user).toBeGreaterThan(0);
    for (const { securityContext } of podSpecs)
      expect([securityContext.runAsUser, securityContext.runAsGroup]).toEqual([user, group]);
    const last = image.instructions.map(({ name }) => name);
    expect(last.lastIndexOf('USER')).toBeGreaterThan(last.lastIndexOf('COPY'));
    expect(image.instructions.filter(({ name }) => name === 'RUN')).toEqual([]);
  });

  it('copies only what exists and is sent to the build; nothing is fetched by ADD', () => {
    const sources = copiesOf(build).flatMap((copy) => copy.sources);
    expect(sources.length).toBeGreaterThan(5);
    for (const source of sources) {
      expect(existsSync(path.join(root, source)), source).toBe(true);
      expect(isSent(ignore, source), source).toBe(true);
      expect(
        files.some((file) => file === source || file.startsWith(`${source}/`)),
        source,
      ).toBe(true);
    }
    expect(stages.flatMap((stage) => stage.instructions.filter(({ name }) => name === 'ADD'))).toEqual([]);
  });

  it('has nothing sent to the build that it does not copy: no history, no installed packages, no tests, no secrets', () => {
    const copied = copiesOf(build).flatMap((copy) => copy.sources);
    const sent = [...files, '.git/config', 'node_modules/esbuild/package.json', '.env', 'cdk.out/x'].filter((file) =>
      isSent(ignore, file),
    );
    expect(sent.filter((file) => !copied.some((one) => file === one || file.startsWith(`${one}/`)))).toEqual([]);
  });

  it('installs what the lock file says, and runs no scripts of packages', () => {
    const installs = build.instructions.filter(({ name, text }) => name === 'RUN' && /\bnpm\b/.test(text));
    expect(installs.map(({ text }) => text.split(' ').slice(0, 3).join(' '))).toEqual(['npm ci --ignore-scripts']);
  });

  it('takes from the build alone, by the name of its stage', () => {
    expect(copiesOf(image).map(({ from }) => from)).toEqual([build.name]);
  });

  it('leaves room for what lies outside of the heap within the memory of the chart', () => {
    const commands = [
      entrypoint,
      ...podSpecs.flatMap(({ containers }) => containers.flatMap(({ command }) => command ?? [])),
    ];
    const heaps = commands.flat().flatMap((word) => /^--max-old-space-size=(\d+)$/.exec(word)?.[1] ?? []);
    const limits = podSpecs.flatMap(({ containers }) => containers.map(({ resources }) => resources.limits.memory));
    expect(new Set(limits)).toEqual(new Set(['512Mi']));
    expect(heaps.map(Number)).toEqual([448, 448]);
  });
});

/** COPY and RUN of the build's stage; installed packages are lent instead of fetched again. */
function playBuild(source: string): void {
  for (const { sources, target } of copiesOf(build))
    for (const one of sources)
      cpSync(path.join(root, one), path.join(source, target === './' ? one : target), { recursive: true });
  symlinkSync(path.join(root, 'node_modules'), path.join(source, 'node_modules'));
  const env = { PATH: `${path.dirname(process.execPath)}:${process.env.PATH}` };
  const runs = build.instructions.filter(({ name, text }) => name === 'RUN' && !text.startsWith('npm ci '));
  for (const { text } of runs) execFileSync('sh', ['-c', text], { cwd: source, env });
}

describe('the build, played in a folder', () => {
  let folder: string;
  const app = () => path.join(folder, 'app');
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'sluice-image-'));
    playBuild(path.join(folder, 'src'));
    mkdirSync(app());
    const made = copiesOf(image).flatMap(({ sources }) => sources.flatMap((one) => globSync(path.join(folder, one))));
    for (const file of made) cpSync(file, path.join(app(), path.basename(file)));
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('has the files that the entry point and the chart start', () => {
    const commands = [
      entrypoint,
      ...podSpecs.flatMap(({ containers }) => containers.flatMap(({ command }) => [command ?? []])),
    ];
    const started = commands.flat().filter((word) => word.startsWith('/app/'));
    expect(started.sort()).toEqual(['/app/executor.mjs', '/app/watcher.mjs']);
    for (const file of started) expect(existsSync(path.join(folder, file)), file).toBe(true);
  });

  it.each([
    ['watcher.mjs', 'SLUICE_INGEST_QUEUE_URL is not set'],
    ['executor.mjs', 'SLUICE_TABLE is not set'],
  ])('%s starts from that file alone, and says what its environment lacks', (file, says) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [path.join(app(), file)], {
      cwd: app(),
      env: {},
      encoding: 'utf8',
    });
    expect(stdout + stderr).toContain(says);
    expect(status).toBe(1);
    expect(readFileSync(path.join(app(), file)).byteLength).toBeGreaterThan(100_000);
  });
});

describe('the reader', () => {
  it.each<[string, string, boolean]>([
    ['*\n!lib\n', 'lib/a.ts', true],
    ['*\n!lib\n', 'library/a.ts', false],
    ['*\n!lib\n*\n', 'lib/a.ts', false],
    ['node_modules\n', 'lib/node_modules', true],
    ['node_modules\n', 'node_modules/a/b', false],
    ['# *\n', 'a', true],
  ])('of .dockerignore %j sends %s: %s', (patterns, file, sent) => {
    expect(isSent(patterns, file)).toBe(sent);
  });

  it('refuses an instruction that it cannot read', () => {
    expect(() => readContainerfile('FROM a\nrun x')).toThrow('no instruction: run x');
    expect(() => readContainerfile('RUN x')).toThrow('RUN before the first FROM');
  });
});
