// The README's pictures show the demo as it runs now: new pictures have the same text, apart from numbers and names.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { takePictures } from '../../../scripts/pictures/take.ts';

const images = path.resolve(import.meta.dirname, '../../../docs/images');
const folder = mkdtempSync(path.join(tmpdir(), 'sluice-pictures-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('the tracked pictures say what the running demo says: if they do not, run `npm run pictures`', async () => {
  const text = await takePictures(folder);
  expect(text).toBe(readFileSync(path.join(images, 'pictures.txt'), 'utf8'));
  const tracked = readdirSync(images);
  for (const file of readdirSync(folder)) expect(tracked).toContain(file);
}, 600_000);
