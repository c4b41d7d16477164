// Runs one command line with commander, configured from the definitions; prints every error in at most three lines.
import { Argument, Command, CommanderError, Option } from 'commander';
import { nearestOf } from '../config/nearest.ts';
import type { ArgumentDefinition, Flags, OptionDefinition, ProgramDefinition, VerbDefinition } from './definition.ts';
import { failureLines, statusOf, UsageFailure, withProfile } from './failure.ts';
import { numberFlag } from './flags.ts';
import { type Io, line } from './io.ts';
import { optionsOf } from './options.ts';
import { withSameOptions } from './sameOptions.ts';
import { pathOf } from './verbPath.ts';

export interface CommandLine {
  /** `sluice`, or `kubectl sluice`. */
  readonly name: string;
  readonly words: readonly string[];
  readonly io: Io;
}

/** Returns the exit status: 0 success, 1 failed or not found, 2 usage error. */
export async function runProgram(program: ProgramDefinition, { name, words, io }: CommandLine): Promise<number> {
  let status = 0;
  let given: Flags = {};
  const start = async (verb: VerbDefinition, values: readonly unknown[], flags: Flags) => {
    given = flags;
    const args = values.flat().filter((one): one is string => typeof one === 'string');
    const { run } = (await verb.load?.()) ?? { run: async () => 2 };
    status = (await run({ args, flags, io, name, program })) ?? 0;
  };
  const root = prepared(new Command(name).description(program.text), io);
  for (const verb of program.verbs) root.addCommand(commandOf(verb, io, start));
  try {
    const asked = asWords(words, program.verbs);
    await root.parseAsync(asked.length === 0 ? ['--help'] : [...asked], { from: 'user' });
    return status;
  } catch (error) {
    const failure = error instanceof CommanderError ? usageOf(error, { name, words, program }) : error;
    if (failure === undefined) return 0;
    const help = `see: ${placeOf({ name, words, program })} --help`;
    const from = { flags: given, verbs: program.verbs };
    for (const one of failureLines(failure, help))
      line(io.err, withProfile(withSameOptions(one, from), io.env.AWS_PROFILE));
    return statusOf(failure);
  }
}

/** Rewrites `help VERB` and `--version` to verbs and options. Help for an unknown verb is an error. */
function asWords(words: readonly string[], verbs: readonly VerbDefinition[]): readonly string[] {
  const [first, ...rest] = words;
  if (first === '--version') return ['version', ...rest];
  const path = first === 'help' ? rest : words;
  if (first !== 'help' && !words.includes('--help') && !words.includes('-h')) return words;
  const named = path.filter((one) => !one.startsWith('-'));
  const known = pathOf(named, verbs);
  const others = known.length === 0 ? verbs : known.at(-1)?.verbs;
  // Without options, so that commander reports the unknown verb instead of printing help.
  if (others && named.length > known.length) return named.slice(0, known.length + 1);
  return first === 'help' ? [...rest, '--help'] : words;
}

type Start = (verb: VerbDefinition, values: readonly unknown[], flags: Flags) => Promise<void>;

/** Help goes to standard output; commander's own error output is suppressed, because runProgram prints errors. */
function prepared(command: Command, io: Io): Command {
  return command
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.out.write(text),
      writeErr: () => {},
      outputError: () => {},
      getOutHelpWidth: () => io.out.columns ?? 100,
    });
}

function commandOf(verb: VerbDefinition, io: Io, start: Start): Command {
  const command = prepared(new Command(verb.name), io)
    .aliases([...(verb.aliases ?? [])])
    .summary(verb.text)
    .description([verb.text, ...(verb.details ?? [])].join('\n\n'));
  for (const child of verb.verbs ?? []) command.addCommand(commandOf(child, io, start));
  if (verb.load === undefined) return command;
  for (const one of verb.arguments ?? []) command.addArgument(argumentOf(one));
  for (const one of optionsOf(verb)) command.addOption(optionOf(one));
  const examples = (verb.examples ?? []).map((one) => `  ${one.text}\n    ${one.command}`);
  if (examples.length > 0) command.addHelpText('after', `\nExamples:\n${examples.join('\n')}`);
  return command.action(async (...all: unknown[]) => {
    const flags = all.at(-2) as Flags;
    await start(verb, all.slice(0, -2), flags);
  });
}

function argumentOf({ name, text, isMany, isOptional, choices }: ArgumentDefinition): Argument {
  const inner = isMany ? `${name}...` : name;
  const argument = new Argument(isOptional ? `[${inner}]` : `<${inner}>`, text);
  return choices ? argument.choices(choices) : argument;
}

function optionOf({ flags, text, choices, default: value, isMany }: OptionDefinition): Option {
  const option = new Option(flags, text);
  if (choices) option.choices(choices);
  if (value !== undefined) option.default(value);
  if (flags.endsWith('<seconds>')) option.argParser(durationOf(option.attributeName()));
  if (isMany) option.argParser((given: string, known: readonly string[] = []) => [...known, given]);
  else if (!option.isBoolean()) option.argParser(onlyOnce(option));
  return option;
}

/** Of two contexts or files one would be dropped, and the answer would be about the other alone. */
function onlyOnce(option: Option): (given: string, known: unknown) => unknown {
  const parse = option.parseArg;
  let isGiven = false;
  return (given, known) => {
    if (isGiven) throw new UsageFailure(`--${option.name()} is given twice`, 'run it once for each');
    isGiven = true;
    return parse ? parse(given, known as never) : given;
  };
}

/** Checked here, since verbs wait after they have acted. */
function durationOf(name: string): (given: string) => string {
  return (given) => {
    numberFlag({ [name]: given }, name);
    return given;
  };
}

/** Absent if the user asked for help, which is no error. */
function usageOf(
  error: CommanderError,
  { name, words, program }: Pick<CommandLine, 'name' | 'words'> & { readonly program: ProgramDefinition },
): UsageFailure | undefined {
  if (error.exitCode === 0) return undefined;
  const path = pathOf(words, program.verbs);
  const at = placeOf({ name, words, program });
  const group = path.at(-1)?.verbs;
  if (error.code === 'commander.help' && group)
    return new UsageFailure(`${at} needs one of ${group.map((one) => one.name).join(', ')}`, `see: ${at} --help`);
  const meant = nearestOf(...choiceIn(error.message));
  return new UsageFailure(error.message, `${meant === undefined ? '' : `did you mean ${meant}? `}see: ${at} --help`);
}

/** The invalid value and the allowed choices, parsed from commander's message: commander gives them only as text. */
function choiceIn(message: string): readonly [string, readonly string[]] {
  const [, written = '', choices = ''] = /'([^']*)' is invalid.* Allowed choices are (.*)\.$/.exec(message) ?? [];
  return [written, choices === '' ? [] : choices.split(', ')];
}

function placeOf({
  name,
  words,
  program,
}: Pick<CommandLine, 'name' | 'words'> & { readonly program: ProgramDefinition }): string {
  return [name, ...pathOf(words, program.verbs).map((one) => one.name)].join(' ');
}
