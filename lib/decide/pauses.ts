// Pauses that people write on a rule or a policy as annotations.

/** Any value but `false` pauses what it is on. */
export const pausedAnnotation = 'sluice.dev/paused';

/** Pauses that stack: `pause.sluice.dev/<name>: <why>`. What they are on continues when the last one is removed. */
export const pausePrefix = 'pause.sluice.dev/';

/** In words, sorted by name. */
export function pausesOf(annotations: Readonly<Record<string, string>>): readonly string[] {
  const plain = annotations[pausedAnnotation];
  const named = Object.entries(annotations)
    .filter(([key]) => key.startsWith(pausePrefix))
    .map(([key, why]) => (why === '' ? key.slice(pausePrefix.length) : `${key.slice(pausePrefix.length)} (${why})`))
    .sort();
  return plain === undefined || plain === 'false' ? named : [pausedAnnotation, ...named];
}
