// Files of this release that verbs need at run time; the build puts their text into the bundle.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Definitions of Sluice's own kinds, as YAML. */
export function releasedDefinitions(): readonly string[] {
  const folder = path.join(import.meta.dirname, '..', '..', 'deploy', 'chart', 'crds');
  return readdirSync(folder)
    .sort()
    .map((file) => readFileSync(path.join(folder, file), 'utf8'));
}
