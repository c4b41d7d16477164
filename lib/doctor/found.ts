// Asks for one thing that may not be there.
import type { Found } from './facts.ts';

/** Whatever goes wrong is why it is missing. */
export async function found<T>(ask: () => Promise<T>): Promise<Found<T>> {
  try {
    return { kind: 'Found', value: await ask() };
  } catch (error) {
    const why = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    return { kind: 'Missing', why };
  }
}
