// Writes the files generated from the schema of sluice.yaml: reference page and JSON Schema.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { configurationFiles } from '../lib/config/generated.ts';

const root = path.join(import.meta.dirname, '..');

for (const [file, text] of Object.entries(configurationFiles())) {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  writeFileSync(path.join(root, file), text);
  console.error(`wrote ${file}`);
}
