// The npm package, by `npm pack`, which fixes times, owners and order itself.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Context } from './context.ts';
import { run } from './goTool.ts';
import { buildProgram } from './program.ts';

export async function buildNpmPackage(context: Context): Promise<void> {
  await buildProgram(context);
  const folder = path.join(context.out, 'npm');
  mkdirSync(folder, { recursive: true });
  run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], { cwd: context.root });
}
