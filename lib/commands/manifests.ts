// Reads manifests from a file or standard input, like `kubectl -f`.
import { readFile } from 'node:fs/promises';
import { parseAllDocuments } from 'yaml';
import { Failure, UsageFailure } from './failure.ts';
import type { Io } from './io.ts';

/** YAML or JSON with several documents; a List is replaced by its items. `-`: standard input. */
export async function readManifests(file: string, io: Pick<Io, 'input'>): Promise<readonly unknown[]> {
  const documents = parseAllDocuments(await textOf(file, io));
  const broken = documents.flatMap((document) => document.errors)[0];
  if (broken) throw new UsageFailure(`${file} is not YAML: ${broken.message.split('\n')[0]}`);
  return documents.flatMap((document) => {
    const value = document.toJS() as { items?: unknown } | null;
    if (!value) return [];
    return Array.isArray(value.items) ? value.items : [value];
  });
}

async function textOf(file: string, { input }: Pick<Io, 'input'>): Promise<string> {
  if (file === '-') return (await inputOf(input)).toString('utf8');
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new Failure(`${file}: there is no such file`);
    throw new Failure(`${file} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}

async function inputOf(input: Io['input']): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of input) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}
