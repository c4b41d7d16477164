// Installs and removes the chart of one cluster with Helm.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chartNamespace } from '../../outputs.ts';
import { Failure } from '../failure.ts';
import type { Io } from '../io.ts';
import type { NamedKubeconfig } from './kubeconfig.ts';
import { runTool } from './tool.ts';

const release = 'sluice';
/** First version with `--reset-then-reuse-values`, which keeps values set by users and adds defaults of new values. */
const oldestHelm = [3, 14] as const;

export const helmRemedy = 'install Helm 3.14 or later: https://helm.sh/docs/intro/install';

/** Returns Helm's version. Throws if Helm is missing or too old. */
export async function checkHelm(io: Io): Promise<string> {
  const version = (await runTool('helm', ['version', '--template', '{{.Version}}'], { io, remedy: helmRemedy })).trim();
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  if (major > oldestHelm[0] || (major === oldestHelm[0] && minor >= oldestHelm[1])) return version;
  throw new Failure(`helm ${version} is too old: ${oldestHelm.join('.')} or later is needed`, helmRemedy);
}

/** CRDs are applied earlier by objects.ts, because Helm never upgrades CRDs. */
export async function installChart(
  io: Io,
  named: NamedKubeconfig,
  of: { readonly chart: string; readonly values: object },
): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-values-'));
  try {
    const values = path.join(folder, 'values.json');
    writeFileSync(values, JSON.stringify(of.values), { mode: 0o600 });
    const how = ['--create-namespace', '--skip-crds', '--reset-then-reuse-values', '--values', values];
    await runTool('helm', ['upgrade', release, of.chart, '--install', ...how, ...place(named)], { io });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function removeChart(io: Io, named: NamedKubeconfig): Promise<void> {
  await runTool('helm', ['uninstall', release, '--ignore-not-found', ...place(named)], { io });
}

function place({ kubeconfig, context }: NamedKubeconfig): readonly string[] {
  const of = ['--namespace', chartNamespace, '--kubeconfig', kubeconfig];
  return context === undefined ? of : [...of, '--kube-context', context];
}
