// Planted defects: each breaks one rule in a copy of the sources, and the histories have to find it.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { projectRoot } from './bundle.ts';
import type { History } from './history.ts';
import type { Law } from './judge.ts';

const folder = path.join(projectRoot, 'test/faults/planted');

/** What finds a defect; beside its patch, under the same name. */
export interface Finding {
  readonly law: Law;
  readonly history: History;
}

export interface PlantedDefect {
  readonly name: string;
  /** The rule that the patch takes away: the first line of the patch. */
  readonly rule: string;
  readonly finding: Finding | undefined;
}

export const plantedNames: readonly string[] = existsSync(folder)
  ? readdirSync(folder)
      .filter((file) => file.endsWith('.patch'))
      .map((file) => path.basename(file, '.patch'))
      .sort()
  : [];

export const findingFile = (name: string): string => path.join(folder, `${name}.json`);
const patchFile = (name: string) => path.join(folder, `${name}.patch`);

export function readPlanted(name: string): PlantedDefect {
  const [rule = ''] = readFileSync(patchFile(name), 'utf8').split('\n');
  const file = findingFile(name);
  const finding = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Finding) : undefined;
  return { name, rule: rule.replace(/^# /, ''), finding };
}

/** A copy of the sources with the defect; throws where the patch does not apply to them any more. */
export function copyWith(name: string): { readonly root: string; remove(): void } {
  const root = mkdtempSync(path.join(tmpdir(), `sluice-${name}-`));
  const remove = () => rmSync(root, { recursive: true, force: true });
  mkdirSync(path.join(root, 'test/faults'), { recursive: true });
  cpSync(path.join(projectRoot, 'lib'), path.join(root, 'lib'), { recursive: true });
  cpSync(path.join(projectRoot, 'test/faults/program.ts'), path.join(root, 'test/faults/program.ts'));
  const applied = spawnSync('git', ['apply', '--whitespace=nowarn', patchFile(name)], { cwd: root, encoding: 'utf8' });
  if (applied.status === 0) return { root, remove };
  remove();
  throw new Error(
    `test/faults/planted/${name}.patch does not apply to lib/ any more (${applied.stderr.trim()}): write it again for the code as it is`,
  );
}
