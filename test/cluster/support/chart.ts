// The chart in deploy/, rendered and linted by Helm.
import { spawnSync } from 'node:child_process';
import path from 'node:path';

const chart = path.join(import.meta.dirname, '..', '..', '..', 'deploy', 'chart');

export interface HelmResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** `values`: as after `--set`; what is JSON, as after `--set-json`. */
export function helm(command: 'template' | 'lint', values: readonly string[] = []): HelmResult {
  const program = process.env.SLUICE_HELM;
  if (!program) throw new Error('SLUICE_HELM is not set: run this by `npm run test:cluster`');
  const release = command === 'template' ? ['sluice', chart, '--namespace', 'sluice'] : [chart, '--strict'];
  const set = values.flatMap((value) => [/=[{[]/.test(value) ? '--set-json' : '--set', value]);
  return spawnSync(program, [command, ...release, ...set], { encoding: 'utf8' });
}

/** What an outbound cluster has besides, with the environment of an example. */
export function renderOutbound(
  environment: Readonly<Record<string, string>> = exampleEnvironment,
): Readonly<Record<string, string>> {
  const told = `executor.environment=${JSON.stringify(environment)}`;
  const all = renderManifests(['executor.enabled=true', 'rbac.functions=false', told]);
  return Object.fromEntries(Object.entries(all).filter(([name]) => name.startsWith('executor-')));
}

/** To be replaced by the stack's output ExecutorEnvironment<Cluster>. */
const exampleEnvironment = {
  SLUICE_CLUSTER: 'example',
  SLUICE_CLUSTERS:
    '{"example":{"endpoint":"https://kubernetes.example.com","auth":{"kind":"outbound"},"native":"own"}}',
  SLUICE_TABLE: 'Sluice-State',
  ...Object.fromEntries(
    ['pace', 'evict', 'report'].map((stage) => [
      `SLUICE_${stage.toUpperCase()}_QUEUE_URL`,
      `https://sqs.eu-west-1.amazonaws.com/123456789012/Sluice-${stage}`,
    ]),
  ),
};

/** The files of deploy/manifests/ as Helm renders them, by name. */
export function renderManifests(values: readonly string[] = []): Readonly<Record<string, string>> {
  const { stdout, stderr, status } = helm('template', values);
  if (status !== 0) throw new Error(`helm template: ${stderr}`);
  const files: Record<string, string> = {};
  for (const part of stdout.split(/^---\n/m).filter((text) => text.trim() !== '')) {
    const name = /^# Source: sluice\/templates\/(.*)$/m.exec(part)?.[1] ?? '';
    const text = part.replace(/^# Source: .*\n/m, '').trimEnd();
    files[name] = files[name] === undefined ? `${text}\n` : `${files[name]}---\n${text}\n`;
  }
  return files;
}
