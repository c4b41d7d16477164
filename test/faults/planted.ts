// A copy of the sources with a planted defect.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { projectRoot } from './bundle.ts';
import type { Defect } from './defects.ts';

/** The text with the defect; throws where what it replaces is not there exactly once. */
export function plantedText({ name, file, replace, by }: Defect): string {
  const [before = '', after, ...more] = readFileSync(path.join(projectRoot, file), 'utf8').split(replace);
  if (after !== undefined && more.length === 0) return `${before}${by}${after}`;
  const often = after === undefined ? 'no longer' : 'more than once';
  throw new Error(
    `${name} (test/faults/defects.ts): ${file} has ${often} what it replaces; write it for the code as it is`,
  );
}

export function copyWith(defect: Defect): { readonly root: string; remove(): void } {
  const text = plantedText(defect);
  const root = mkdtempSync(path.join(tmpdir(), `sluice-${defect.name}-`));
  for (const part of ['lib', 'test/faults/program.ts'])
    cpSync(path.join(projectRoot, part), path.join(root, part), { recursive: true });
  writeFileSync(path.join(root, defect.file), text);
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) };
}
