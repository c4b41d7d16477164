// Runs one request and turns an error into `Missing`.
import type { Found } from './facts.ts';

/** Never rejects: any error becomes `Missing` with the reason. */
export async function found<T>(ask: () => Promise<T>): Promise<Found<T>> {
  try {
    return { kind: 'Found', value: await ask() };
  } catch (error) {
    const why = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    return { kind: 'Missing', why };
  }
}
