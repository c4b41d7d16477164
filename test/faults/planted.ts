// A copy of the sources and of their tests, with a planted defect or without one.
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { projectRoot } from './bundle.ts';
import type { Defect } from './defects.ts';

/** The text with the defect; throws if the replaced text does not occur exactly once. */
export function plantedText({ name, file, replace, by }: Defect): string {
  const [before = '', after, ...more] = readFileSync(path.join(projectRoot, file), 'utf8').split(replace);
  if (after !== undefined && more.length === 0) return `${before}${by}${after}`;
  const often = after === undefined ? 'no longer' : 'more than once';
  throw new Error(
    `${name} (test/faults/defects.ts): ${file} has ${often} what it replaces; write it for the code as it is`,
  );
}

const parts = ['lib', 'infra', 'functions', 'test', 'package.json', 'vitest.config.ts'];

export interface Copy {
  readonly root: string;
  /** Puts the defect into the copy while `work` runs. */
  planted<T>(defect: Defect, work: () => Promise<T>): Promise<T>;
  remove(): void;
}

export function copySources(): Copy {
  const root = mkdtempSync(path.join(tmpdir(), 'sluice-planted-'));
  for (const part of parts) cpSync(path.join(projectRoot, part), path.join(root, part), { recursive: true });
  symlinkSync(path.join(projectRoot, 'node_modules'), path.join(root, 'node_modules'));
  return {
    root,
    async planted(defect, work) {
      const file = path.join(root, defect.file);
      const sound = readFileSync(file, 'utf8');
      writeFileSync(file, plantedText(defect));
      try {
        return await work();
      } finally {
        writeFileSync(file, sound);
      }
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}
