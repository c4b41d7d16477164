// `npm run pictures`: takes the README's pictures of the running demo and puts them into docs/images.
import path from 'node:path';
import { takePictures } from './pictures/take.ts';

await takePictures(path.join(import.meta.dirname, '..', 'docs', 'images'));
