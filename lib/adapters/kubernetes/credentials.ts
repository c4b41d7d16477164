// Sources of Sluice's credentials for an API server, with renewal after a 401.
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
  /** `renew`: the API server rejected the last credentials with 401. */
  get(renew: boolean): Promise<FoundCredentials>;
}

const file = z.object({
  token: z.exactOptional(z.string().check(z.minLength(1))),
  clientCertificate: z.exactOptional(z.string().check(z.minLength(1))),
  clientKey: z.exactOptional(z.string().check(z.minLength(1))),
});

/** Reads a JSON file `{token?, clientCertificate?, clientKey?}` that its writer keeps up to date; for local runs only. */
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
