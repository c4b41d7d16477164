// Pushes image and chart to a registry by crane. All other artefacts are files: attach them to a release.
import path from 'node:path';
import type { Context } from './context.ts';
import { ensureGoTool, run } from './goTool.ts';

export function publish(context: Context, registry: string, repository: string): void {
  const crane = ensureGoTool('crane', context.say);
  const push = (layout: string, name: string) => {
    const reference = `${registry}/${name}:${context.version}`;
    run(crane, ['push', path.join(context.out, layout), reference]);
    context.say(`pushed ${reference}`);
  };
  push('image', repository);
  // Helm looks for a chart under its own name.
  push('chart/oci', `${repository}/charts/sluice`);
}
