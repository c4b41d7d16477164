// Reads manifests from a file or standard input, like `kubectl -f`.
import { type Document, isMap, isScalar, LineCounter, parseAllDocuments } from 'yaml';
import { readTextFile } from '../config/textFile.ts';
import { whyUnreadable } from '../model/whyUnreadable.ts';
import { Failure, UsageFailure } from './failure.ts';
import type { Io } from './io.ts';

export interface Manifest {
  readonly value: unknown;
  /** Line in the file of the field at that path. */
  readonly lineOf: (path: readonly (string | number)[]) => number;
}

/** YAML or JSON with several documents; a List is replaced by its items. `-`: standard input. */
export async function readManifests(file: string, io: Pick<Io, 'input'>): Promise<readonly Manifest[]> {
  const lines = new LineCounter();
  const documents = parseAllDocuments(await textOf(file, io), { lineCounter: lines });
  const broken = documents.flatMap((document) => document.errors)[0];
  if (broken) throw new UsageFailure(`${file} is not YAML: ${broken.message.split('\n')[0]}`);
  return documents.flatMap((document) => {
    const value = readValue(document, file) as { items?: unknown } | null;
    if (!value) return [];
    const lineBelow = (above: readonly (string | number)[]) => (path: readonly (string | number)[]) =>
      lines.linePos(offsetOf(document, [...above, ...path])).line;
    if (!Array.isArray(value.items)) return [{ value, lineOf: lineBelow([]) }];
    return value.items.map((one: unknown, at) => ({ value: one, lineOf: lineBelow(['items', at]) }));
  });
}

/** Aliases are only resolved here. */
function readValue(document: Document, file: string): unknown {
  try {
    return document.toJS();
  } catch (error) {
    throw new UsageFailure(`${file} is not YAML: ${(error as Error).message}`);
  }
}

function offsetOf(document: Document, path: readonly (string | number)[]): number {
  const above = document.getIn(path.slice(0, -1), true);
  const pair = isMap(above) ? above.items.find(({ key }) => isScalar(key) && key.value === path.at(-1)) : undefined;
  return (isScalar(pair?.key) ? pair.key.range?.[0] : undefined) ?? 0;
}

async function textOf(file: string, { input }: Pick<Io, 'input'>): Promise<string> {
  if (file === '-') return (await inputOf(input)).toString('utf8');
  try {
    return readTextFile(file);
  } catch (error) {
    throw new Failure(`${file}: ${whyUnreadable(error)}`, 'specify a YAML or JSON file, or - for standard input');
  }
}

async function inputOf(input: Io['input']): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of input) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}
