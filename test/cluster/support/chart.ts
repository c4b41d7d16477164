// The chart in deploy/, rendered and linted by the Helm that the runner of this tier built.
import { spawnSync } from 'node:child_process';
import * as render from '../../../scripts/renderManifests.ts';

export interface HelmResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const program = () => {
  const path = process.env.SLUICE_HELM;
  if (!path) throw new Error('SLUICE_HELM is not set: run this by `npm run test:cluster`');
  return path;
};

type HelmCommand = 'template' | 'lint' | 'install';

/** With the values as they are given, without the examples of deploy/manifests. */
export function helmWith(command: HelmCommand, args: readonly string[]): HelmResult {
  const ofCommand = {
    lint: [render.chart, '--strict'],
    template: ['sluice', render.chart, '--namespace', 'sluice'],
    // Renders the notes as well, and calls no cluster.
    install: ['sluice', render.chart, '--namespace', 'sluice', '--dry-run=client'],
  }[command];
  return spawnSync(program(), [command, ...ofCommand, ...args], { encoding: 'utf8' });
}

export function helm(command: HelmCommand, values: readonly string[] = []): HelmResult {
  return helmWith(command, render.helmValues(values));
}

export const renderManifests = (values: readonly string[] = []) => render.renderManifests(program(), values);
export const renderOutbound = (environment?: Readonly<Record<string, string>>) =>
  render.renderOutbound(program(), environment);
