// Who Sluice is to an API server: where its credentials come from, and that they are renewed when refused.
import { readFile } from 'node:fs/promises';
import * as z from 'zod/mini';

export interface Credentials {
  readonly token?: string;
  /** PEM. */
  readonly clientCertificate?: string;
  readonly clientKey?: string;
  /** From a kubeconfig: impersonation, basic authentication. */
  readonly headers?: Readonly<Record<string, string>>;
}

export type FoundCredentials =
  | { readonly kind: 'Found'; readonly credentials: Credentials }
  | { readonly kind: 'Unavailable'; readonly why: string };

export interface CredentialsSource {
  /** `renew`: the last ones were refused with 401. */
  get(renew: boolean): Promise<FoundCredentials>;
}

const file = z.object({
  token: z.exactOptional(z.string().check(z.minLength(1))),
  clientCertificate: z.exactOptional(z.string().check(z.minLength(1))),
  clientKey: z.exactOptional(z.string().check(z.minLength(1))),
});

/** A JSON file `{token?, clientCertificate?, clientKey?}`, kept up to date by its writer; local runs only. */
export function credentialsFromFile(path: string): CredentialsSource {
  let kept: Credentials | undefined;
  return {
    async get(renew) {
      if (kept && !renew) return { kind: 'Found', credentials: kept };
      try {
        kept = file.parse(JSON.parse(await readFile(path, 'utf8')));
        return { kind: 'Found', credentials: kept };
      } catch (error) {
        kept = undefined;
        const why = error instanceof Error ? error.message : String(error);
        return { kind: 'Unavailable', why: `the credentials file ${path} cannot be used (${why}); write it again` };
      }
    },
  };
}
