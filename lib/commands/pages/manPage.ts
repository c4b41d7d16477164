// Man pages sluice(1), sluice-get(1) and so on, generated from the definitions; pure.
import type { OptionDefinition, ProgramDefinition, VerbDefinition } from '../definition.ts';
import { optionsOf } from '../options.ts';
import { type Leaf, leavesOf, synopsisOf } from './reference.ts';

/** Pages by file name, one for each top-level verb. */
export function manPages(program: ProgramDefinition): ReadonlyMap<string, string> {
  return new Map([
    ['sluice.1', overview(program)],
    ...program.verbs.map((verb): [string, string] => [`sluice-${verb.name}.1`, verbPage(verb, program)]),
  ]);
}

function overview({ text, version, verbs }: ProgramDefinition): string {
  return page('SLUICE', version, [
    ...section('NAME', [`sluice \\- ${escaped(text)}`]),
    ...section('SYNOPSIS', ['.B sluice', '.I VERB', '[arguments] [options]']),
    '.SH VERBS',
    ...verbs.flatMap((verb) => ['.TP', `.BR sluice\\-${escaped(verb.name)} (1)`, escaped(verb.text)]),
    ...exitStatus([]),
  ]);
}

function verbPage(verb: VerbDefinition, { version }: ProgramDefinition): string {
  const leaves = leavesOf(verb, []);
  return page(`SLUICE\\-${verb.name.toUpperCase()}`, version, [
    ...section('NAME', [`sluice\\-${escaped(verb.name)} \\- ${escaped(verb.text)}`]),
    '.SH SYNOPSIS',
    ...leaves.flatMap((leaf) => [`.B ${escaped(synopsisOf(leaf))}`, '.br']),
    ...leaves.flatMap((leaf) => leafLines(leaf, leaves.length > 1)),
    ...exitStatus(leaves.flatMap((leaf) => leaf.verb.statuses ?? [])),
    ...section('SEE ALSO', ['.BR sluice (1)']),
  ]);
}

function leafLines({ path, verb }: Leaf, isOneOfMany: boolean): readonly string[] {
  const title = isOneOfMany ? `.SH ${escaped(path.join(' ').toUpperCase())}` : '.SH DESCRIPTION';
  return [
    title,
    escaped(verb.text),
    ...(verb.details ?? []).flatMap((one) => ['.PP', escaped(one)]),
    ...(verb.arguments ?? []).flatMap((one) => ['.TP', `.I ${escaped(one.name.toUpperCase())}`, meaning(one)]),
    ...optionsOf(verb).flatMap((one) => ['.TP', `.B ${escaped(one.flags)}`, meaning(one)]),
    ...(verb.examples ?? []).flatMap((one) => [
      '.PP',
      escaped(one.text),
      '.PP',
      '.RS',
      `.B ${escaped(one.command)}`,
      '.RE',
    ]),
  ];
}

function meaning({ text, choices, ...rest }: Pick<OptionDefinition, 'text' | 'choices' | 'default'>): string {
  const among = choices ? `: ${choices.join(', ')}` : '';
  return escaped(`${text}${among}${rest.default === undefined ? '' : ` (default ${rest.default})`}`);
}

function exitStatus(more: readonly { readonly status: number; readonly text: string }[]): readonly string[] {
  const all = [
    { status: 0, text: 'done' },
    { status: 1, text: 'failed, or not found' },
    { status: 2, text: 'usage error; nothing was done' },
    ...new Map(more.map((one) => [one.status, one])).values(),
  ];
  return ['.SH EXIT STATUS', ...all.flatMap(({ status, text }) => ['.TP', `.B ${status}`, escaped(text)])];
}

function page(title: string, version: string, lines: readonly string[]): string {
  return `${[`.TH ${title} 1 "" "Sluice ${version}" "Sluice"`, ...lines].join('\n')}\n`;
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return [`.SH ${title}`, ...lines];
}

/** Escapes characters that are special in roff: backslashes, hyphens, and a dot or quote at the start of a line. */
function escaped(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/, '\\&$1')
    .replaceAll('’', "'");
}
