// Runs one request and turns an error into `Missing`.
import { awsText } from './awsRemedy.ts';
import type { Found } from './facts.ts';

/** Never rejects: any error becomes `Missing` with the reason. */
export async function found<T>(ask: () => Promise<T>): Promise<Found<T>> {
  try {
    return { kind: 'Found', value: await ask() };
  } catch (error) {
    const name =
      error instanceof Error && !/^(Error|Unknown(Error)?|SyntaxError)$/.test(error.name) ? `${error.name}: ` : '';
    const why = `${name}${awsText(error)}`;
    return { kind: 'Missing', why };
  }
}
