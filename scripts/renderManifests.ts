// Renders deploy/manifests and deploy/outbound from the chart: `npm run manifests`; a test of the cluster tier compares them.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ensureGoTool, run } from './release/goTool.ts';

const deploy = path.join(import.meta.dirname, '..', 'deploy');
export const chart = path.join(deploy, 'chart');

/** Placeholders that users replace before applying the files: a zero digest, and a queue that does not exist. */
const exampleValues = [
  `image=registry.example.com/sluice@sha256:${'0'.repeat(64)}`,
  'queueUrl=https://sqs.eu-west-1.amazonaws.com/123456789012/Sluice-ingest-example',
];

/** Placeholder for the stack's output ExecutorEnvironment<Cluster>. */
const exampleEnvironment = {
  SLUICE_CLUSTER: 'example',
  SLUICE_CLUSTERS:
    '{"example":{"endpoint":"https://kubernetes.example.com","auth":{"kind":"outbound"},"native":"own"}}',
  SLUICE_TABLE: 'Sluice-State',
  ...Object.fromEntries(
    ['evict', 'report'].map((stage) => [
      `SLUICE_${stage.toUpperCase()}_QUEUE_URL`,
      `https://sqs.eu-west-1.amazonaws.com/123456789012/Sluice-${stage}`,
    ]),
  ),
};

type Files = Readonly<Record<string, string>>;

/** Options for Helm: `--set` for each value, `--set-json` for JSON values. */
export function helmValues(values: readonly string[]): readonly string[] {
  return [...exampleValues, ...values].flatMap((value) => [/=[{[]/.test(value) ? '--set-json' : '--set', value]);
}

/** Rendered templates of the chart by file name. */
export function renderManifests(helm: string, values: readonly string[] = []): Files {
  const stdout = run(helm, ['template', 'sluice', chart, '--namespace', 'sluice', ...helmValues(values)]);
  const files: Record<string, string> = {};
  for (const part of stdout.split(/^---\n/m).filter((text) => text.trim() !== '')) {
    const name = /^# Source: sluice\/templates\/(.*)$/m.exec(part)?.[1] ?? '';
    const text = part.replace(/^# Source: .*\n/m, '').trim();
    files[name] = files[name] === undefined ? `${text}\n` : `${files[name]}---\n${text}\n`;
  }
  return files;
}

/** Additional manifests of an outbound cluster. */
export function renderOutbound(
  helm: string,
  environment: Readonly<Record<string, string>> = exampleEnvironment,
): Files {
  const told = `executor.environment=${JSON.stringify(environment)}`;
  const all = renderManifests(helm, ['executor.enabled=true', 'rbac.functions=false', told]);
  return Object.fromEntries(Object.entries(all).filter(([name]) => name.startsWith('executor-')));
}

function write(folder: string, files: Files): void {
  const target = path.join(deploy, folder);
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target);
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(target, name), text);
}

if (import.meta.main) {
  const helm = ensureGoTool('helm', console.error);
  write('manifests', renderManifests(helm));
  write('outbound', renderOutbound(helm));
}
