// Pauses that people set as annotations on a rule, a policy or a namespace.

/** Any value except `false` pauses the object. */
export const pausedAnnotation = 'sluice.dev/paused';

/** Named pauses, which add up: `pause.sluice.dev/<name>: <why>`. The object continues when the last one is removed. */
export const pausePrefix = 'pause.sluice.dev/';

export function isPauseAnnotation(key: string): boolean {
  return key === pausedAnnotation || key.startsWith(pausePrefix);
}

/** The pauses in words, each in one line, sorted by name. */
export function pausesOf(annotations: Readonly<Record<string, string>>): readonly string[] {
  const plain = annotations[pausedAnnotation];
  const named = Object.entries(annotations)
    .filter(([key]) => key.startsWith(pausePrefix))
    .map(([key, why]) => `${key.slice(pausePrefix.length)}${why === '' ? '' : ` (${why.replace(/\s+/g, ' ')})`}`)
    .sort();
  return plain === undefined || plain === 'false' ? named : [pausedAnnotation, ...named];
}
