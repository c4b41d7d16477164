// The chart in deploy/, rendered and linted by Helm.
import { spawnSync } from 'node:child_process';
import path from 'node:path';

const chart = path.join(import.meta.dirname, '..', '..', '..', 'deploy', 'chart');

export interface HelmResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** `values`: as after `--set`. */
export function helm(command: 'template' | 'lint', values: readonly string[] = []): HelmResult {
  const program = process.env.SLUICE_HELM;
  if (!program) throw new Error('SLUICE_HELM is not set: run this by `npm run test:cluster`');
  const release = command === 'template' ? ['sluice', chart, '--namespace', 'sluice'] : [chart, '--strict'];
  const set = values.flatMap((value) => ['--set', value]);
  return spawnSync(program, [command, ...release, ...set], { encoding: 'utf8' });
}

/** The files of deploy/manifests/ as Helm renders them, by name. */
export function renderManifests(): Readonly<Record<string, string>> {
  const { stdout, stderr, status } = helm('template');
  if (status !== 0) throw new Error(`helm template: ${stderr}`);
  const files: Record<string, string> = {};
  for (const part of stdout.split(/^---\n/m).filter((text) => text.trim() !== '')) {
    const name = /^# Source: sluice\/templates\/(.*)$/m.exec(part)?.[1] ?? '';
    const text = part.replace(/^# Source: .*\n/m, '').trimEnd();
    files[name] = files[name] === undefined ? `${text}\n` : `${files[name]}---\n${text}\n`;
  }
  return files;
}
