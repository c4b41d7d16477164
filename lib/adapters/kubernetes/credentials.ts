// Who a function is to an API server: a token signed locally for EKS, or a file that is read again when refused.
import { readFile } from 'node:fs/promises';
import { z } from 'zod';

export interface Credentials {
  readonly token?: string;
  /** PEM. */
  readonly clientCertificate?: string;
  readonly clientKey?: string;
}

export interface CredentialsSource {
  /** `renew`: the last ones were refused with 401. */
  get(
    renew: boolean,
  ): Promise<
    | { readonly kind: 'Found'; readonly credentials: Credentials }
    | { readonly kind: 'Unavailable'; readonly why: string }
  >;
}

const file = z.object({
  token: z.string().optional(),
  clientCertificate: z.string().optional(),
  clientKey: z.string().optional(),
});

/** A JSON file `{token?, clientCertificate?, clientKey?}`, kept up to date by whoever wrote it; local runs only. */
export function credentialsFromFile(path: string): CredentialsSource {
  let kept: Credentials | undefined;
  return {
    async get(renew) {
      if (kept && !renew) return { kind: 'Found', credentials: kept };
      try {
        const parsed = file.parse(JSON.parse(await readFile(path, 'utf8')));
        kept = JSON.parse(JSON.stringify(parsed)) as Credentials;
        return { kind: 'Found', credentials: kept };
      } catch (error) {
        return {
          kind: 'Unavailable',
          why: `credentials file ${path} cannot be used: ${error instanceof Error ? error.message : error}`,
        };
      }
    },
  };
}
