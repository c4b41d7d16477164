// Pushes image and chart to a registry with crane. Attach all other artefacts to a release as files.
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
  // Helm expects the chart's name as last path segment.
  push('chart/oci', `${repository}/charts/sluice`);
}
