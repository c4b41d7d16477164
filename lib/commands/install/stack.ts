// CloudFormation stack of an installation: the CDK synthesizes it once, so that the deployed template equals the one shown.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Call } from '../definition.ts';
import { textsFlag } from '../flags.ts';
import type { Workspace } from './workspace.ts';

export interface SynthesizedStack {
  /** Shows the difference from the deployed stack. */
  showDifference(): Promise<unknown>;
  /** `environment`: `aws://ACCOUNT/REGION`. */
  bootstrap(environment: string): Promise<unknown>;
  deploy(): Promise<unknown>;
  destroy(): Promise<unknown>;
}

/** `from.text` replaces the content of sluice.yaml. Fails if a removal is not allowed by `--allow-removal`. */
export async function withStack<T>(
  call: Pick<Call, 'flags' | 'program'>,
  from: { readonly file: string; readonly text?: string | undefined; readonly workspace: Workspace },
  work: (stack: SynthesizedStack) => Promise<T>,
): Promise<T> {
  const { cdk } = from.workspace;
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-stack-'));
  try {
    const file = from.text === undefined ? from.file : path.join(folder, 'sluice.yaml');
    if (from.text !== undefined) writeFileSync(file, from.text);
    const allowed = textsFlag(call.flags, 'allowRemoval').join(',');
    const context = [
      `config=${file}`,
      `release=${call.program.version}`,
      ...(allowed ? [`allowRemoval=${allowed}`] : []),
    ];
    const output = path.join(folder, 'cdk.out');
    await cdk('synth', '--quiet', '--output', output, ...context.flatMap((one) => ['-c', one]));
    return await work({
      showDifference: () => cdk('diff', '--method=template', '--app', output),
      bootstrap: (environment) => cdk('bootstrap', environment, '--app', output),
      deploy: () => cdk('deploy', '--require-approval', 'never', '--app', output),
      destroy: () => cdk('destroy', '--force', '--app', output),
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
