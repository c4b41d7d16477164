// Texts about the progress of a build, in sentences; without a terminal, each is a line that stays.

export interface BuildSteps {
  readonly begun: string;
  /** Called when a part is finished; `undefined` after the last one. */
  built(part: string): string | undefined;
}

export function buildSteps(parts: readonly string[]): BuildSteps {
  const done = new Set<string>();
  return {
    begun: `Building ${parts.join(' and ')}, once for these sources.`,
    built(part) {
      done.add(part);
      const left = parts.filter((one) => !done.has(one));
      return left.length === 0 ? undefined : `Built: ${[...done].join(', ')}. Not yet: ${left.join(', ')}.`;
    },
  };
}
