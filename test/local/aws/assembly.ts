// Cloud assemblies for tests: the hand-written one, as it is or with its template changed, in a folder of its own.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const fixture = fileURLToPath(new URL('./fixture/', import.meta.url));

export interface TemplateResource {
  Type: string;
  Properties: Record<string, unknown>;
}

export interface Template {
  readonly Resources: Record<string, TemplateResource>;
}

export interface CopiedAssembly {
  readonly folder: string;
  remove(): void;
}

export function copyAssembly(change: (template: Template) => void = () => {}): CopiedAssembly {
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-assembly-'));
  cpSync(fixture, folder, { recursive: true });
  const file = path.join(folder, 'Sluice.template.json');
  const template = JSON.parse(readFileSync(file, 'utf8')) as Template;
  change(template);
  writeFileSync(file, JSON.stringify(template));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
