// Writes reference page and man pages of the command line from its definitions; a test compares them.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { generatedPages } from '../lib/commands/pages/generated.ts';

const root = path.join(import.meta.dirname, '..');
rmSync(path.join(root, 'docs', 'man'), { recursive: true, force: true });
for (const [file, text] of generatedPages()) {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  writeFileSync(path.join(root, file), text);
}
