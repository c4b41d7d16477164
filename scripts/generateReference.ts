// Writes the generated reference pages and pictures; a test compares them.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { referencePages } from './reference/pages.ts';

for (const [file, text] of Object.entries(referencePages())) {
  writeFileSync(path.join(import.meta.dirname, '..', file), text);
  console.log(`wrote ${file}`);
}
