// Initial loading of the cluster: objects that the watcher listed, and how many the functions have applied.
import type { Loading } from '../view/screenSnapshot.ts';

export interface Known {
  /** Processes a log line of a function or the watcher. */
  hear(source: string, line: string): void;
  /** `undefined` once all listed objects are applied and a heartbeat has arrived. */
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

/** Sum of the object counts, which are logged by kind. */
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
