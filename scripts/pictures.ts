// `npm run pictures`: takes screenshots of the running demo for the README into docs/images.
import path from 'node:path';
import { takePictures } from './pictures/take.ts';

await takePictures(path.join(import.meta.dirname, '..', 'docs', 'images'));
