// Prints results in the requested format: a table for people, objects for programs.
import { printable, wrapped } from '../../view/ink.ts';
import type { Call } from '../definition.ts';
import { UsageFailure } from '../failure.ts';
import { textFlag } from '../flags.ts';
import { dataLine, line, widthOf } from '../io.ts';
import { type Column, tableLines } from './table.ts';

export interface Found<T> {
  readonly items: readonly T[];
  readonly columns: readonly Column<T>[];
  /** The item as printed in JSON and YAML. */
  readonly object: (item: T) => unknown;
  /** The item as printed by `-o name`: `pacedtaintrule.sluice.dev/a`. */
  readonly name: (item: T) => string;
  /** Identifies the object of a row, where several may have one name; default: `name`. */
  readonly key?: (item: T) => string;
  /** Replaces the row of a table that is wider than the terminal; the lines after the first are indented. */
  readonly paragraph?: (item: T) => readonly string[];
  /** The user named one object: print it without a List around it. */
  readonly isSingle?: boolean;
  /** Plural for `no … found`, such as `rules`. */
  readonly noun: string;
}

export type Format =
  | { readonly kind: 'table' | 'wide' | 'json' | 'yaml' | 'name' }
  | { readonly kind: 'jsonpath'; readonly render: (value: unknown) => string };

const indent = '    ';

const plain = ['table', 'wide', 'json', 'yaml', 'name'] as const;

/** Throws UsageFailure for an unknown format or an invalid template, before anything is read. */
export async function formatOf({ flags }: Pick<Call, 'flags'>): Promise<Format> {
  const text = textFlag(flags, 'output') ?? 'table';
  const known = plain.find((one) => one === text);
  if (known) return { kind: known };
  const [, template] = /^jsonpath=(.*)$/s.exec(text) ?? [];
  if (template) return { kind: 'jsonpath', render: (await import('./jsonPath.ts')).compileJsonPath(template) };
  throw new UsageFailure(`-o ${text} is not a format`, 'use one of table, wide, json, yaml, name, jsonpath=TEMPLATE');
}

/** Loads the YAML module only when needed, so that tables print faster. */
export async function printFound<T>(
  { io }: Pick<Call, 'io'>,
  found: Found<T>,
  format: Format,
  hasHeader = true,
): Promise<void> {
  const { items, columns } = found;
  const objects = items.map(found.object);
  const whole = found.isSingle ? objects[0] : { apiVersion: 'v1', kind: 'List', items: objects };
  switch (format.kind) {
    case 'json':
      dataLine(io.out, JSON.stringify(whole, null, 2));
      return;
    case 'yaml':
      io.out.write((await import('./yaml.ts')).stringify(whole));
      return;
    case 'jsonpath':
      dataLine(io.out, format.render(whole));
      return;
    case 'name':
      for (const one of new Map(items.map((item) => [keyOf(found, item), found.name(item)])).values())
        line(io.out, one);
      return;
    default:
      printTable({ io }, found, { isWide: format.kind === 'wide', hasHeader, columns });
  }
}

export function keyOf<T>({ key, name }: Pick<Found<T>, 'key' | 'name'>, item: T): string {
  return (key ?? name)(item);
}

function printTable<T>(
  { io }: Pick<Call, 'io'>,
  { items, noun, paragraph }: Found<T>,
  by: { readonly isWide: boolean; readonly hasHeader: boolean; readonly columns: readonly Column<T>[] },
): void {
  if (items.length === 0) {
    if (by.hasHeader) line(io.err, `no ${noun} found`);
    return;
  }
  const hasText = (column: Column<T>) => !column.isOptional || items.some((item) => column.of(item) !== '');
  const shown = by.columns.filter((column) => (by.isWide || !column.wide) && hasText(column));
  const width = by.isWide ? undefined : widthOf(io.out, io.env);
  const { hasHeader } = by;
  const rows = (within: number | undefined) => tableLines(shown, items, { width: within, hasHeader });
  const isCut = paragraph && width !== undefined && rows(undefined).some((one) => one.length > width);
  const found = isCut ? items.flatMap((item) => paragraphLines(paragraph(item), width)) : rows(width);
  for (const one of found) line(io.out, one);
}

function paragraphLines([first = '', ...rest]: readonly string[], width: number): readonly string[] {
  const indented = rest.flatMap((one) => wrapped(printable(one), width - indent.length));
  return [...wrapped(printable(first), width), ...indented.map((one) => `${indent}${one}`)];
}
