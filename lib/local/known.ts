// Whether the cluster is known already: what the watcher listed, and how much of it the functions have applied.
import type { Loading } from '../view/screenSnapshot.ts';

export interface Known {
  /** Takes a log line of a function or the watcher. */
  hear(source: string, line: string): void;
  /** `undefined` once everything that the watcher listed is applied and it was heard. */
  loading(heard: boolean): Loading | undefined;
}

export function createKnown(): Known {
  let listed = 0;
  let applied = 0;
  let isKnown = false;
  return {
    hear(source, line) {
      if (isKnown) return;
      const fields = fieldsOf(line);
      if (source === 'watcher' && fields.message === 'all kinds are listed and watched') listed = sumOf(fields);
      if (source === 'ingest' && typeof fields.ChangesApplied === 'number') applied += fields.ChangesApplied;
    },
    loading(heard) {
      isKnown ||= heard && listed > 0 && applied >= listed;
      if (isKnown) return undefined;
      if (listed === 0) return { step: 'The watcher lists the objects of the cluster.', done: 0, of: 0 };
      return { step: 'The functions store the objects of the cluster.', done: Math.min(applied, listed), of: listed };
    },
  };
}

/** Objects of each kind, by the kind's name. */
function sumOf(fields: Readonly<Record<string, unknown>>): number {
  const counts = Object.entries(fields).filter(([name]) => /^[A-Z]/.test(name));
  return counts.reduce((sum, [, count]) => sum + (typeof count === 'number' ? count : 0), 0);
}

function fieldsOf(line: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
