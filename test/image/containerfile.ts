// Reads deploy/Containerfile: its stages, and what each copies, runs and becomes.

export interface Instruction {
  readonly name: string;
  readonly text: string;
}

export interface BuildStage {
  /** As after FROM, with ARG replaced. */
  readonly base: string;
  readonly name: string | undefined;
  readonly instructions: readonly Instruction[];
}

export interface Copy {
  readonly from: string | undefined;
  readonly sources: readonly string[];
  readonly target: string;
}

export interface Containerfile {
  /** Defaults, by name. */
  readonly args: Readonly<Record<string, string>>;
  readonly stages: readonly BuildStage[];
}

/** Throws for what no build of ours needs. */
export function readContainerfile(text: string): Containerfile {
  const args: Record<string, string> = {};
  const stages: { base: string; name: string | undefined; instructions: Instruction[] }[] = [];
  for (const { name, text: rest } of instructionsOf(text)) {
    const current = stages.at(-1);
    if (name === 'ARG' && !current) {
      const [key = '', value = ''] = rest.split(/=(.*)/s);
      args[key] = value;
    } else if (name === 'FROM') {
      const [base = '', as, stage] = rest.split(/\s+/);
      if (as !== undefined && as.toUpperCase() !== 'AS') throw new Error(`FROM ${rest}: expected AS`);
      stages.push({
        base: base.replace(/\$\{(\w+)\}/g, (_, key: string) => args[key] ?? ''),
        name: stage,
        instructions: [],
      });
    } else if (current) current.instructions.push({ name, text: rest });
    else throw new Error(`${name} before the first FROM`);
  }
  return { args, stages };
}

function instructionsOf(text: string): readonly Instruction[] {
  const joined = text.replace(/^\s*#.*\n/gm, '').replace(/\\\n/g, ' ');
  const lines = joined.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => {
    const [, name = '', rest = ''] = /^\s*([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    if (name === '') throw new Error(`no instruction: ${line}`);
    return { name, text: rest.trim() };
  });
}

export function copiesOf({ instructions }: BuildStage): readonly Copy[] {
  return instructions
    .filter(({ name }) => name === 'COPY')
    .map(({ text }) => {
      const words = text.split(/\s+/);
      const from = words.find((word) => word.startsWith('--from='))?.slice('--from='.length);
      const paths = words.filter((word) => !word.startsWith('--'));
      return { from, sources: paths.slice(0, -1), target: paths.at(-1) ?? '' };
    });
}

/** The last one counts. */
export function lastOf({ instructions }: BuildStage, name: string): string | undefined {
  return instructions.findLast((one) => one.name === name)?.text;
}

/** Whether `.dockerignore` lets a file of the context through: the last pattern that fits it or a folder above decides. */
export function isSent(ignore: string, file: string): boolean {
  const above = file.split('/').map((_, i, parts) => parts.slice(0, i + 1).join('/'));
  const patterns = ignore.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return patterns.reduce((sent, pattern) => {
    const wanted = pattern.startsWith('!');
    const name = wanted ? pattern.slice(1) : pattern;
    return name === '*' || above.includes(name) ? wanted : sent;
  }, true);
}
