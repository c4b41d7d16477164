// All files generated from the definitions, by path in the repository.
import { program } from '../definitions/index.ts';
import { manPages } from './manPage.ts';
import { referencePage } from './reference.ts';

export function generatedPages(): ReadonlyMap<string, string> {
  const pages = [...manPages(program)].map(([file, text]): [string, string] => [`docs/man/${file}`, text]);
  return new Map([['docs/reference/commands.md', referencePage(program)], ...pages]);
}
