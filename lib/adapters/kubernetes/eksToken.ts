// Tokens for EKS in the format of aws-iam-authenticator: a presigned STS request, signed here, checked by the cluster.
import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import type { Milliseconds } from '../../model/time.ts';
import type { Clock } from '../../ports.ts';
import type { CredentialsSource } from './credentials.ts';

export interface AwsKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export interface EksTokenOptions {
  readonly clusterName: string;
  readonly region: string;
  readonly keys: () => Promise<AwsKeys>;
  readonly clock: Pick<Clock, 'now'>;
}

/** The cluster accepts a token for about 15 minutes; a new one costs a signature and no request. */
const tokenLifetime: Milliseconds = 10 * 60 * 1000;

export function eksCredentials(options: EksTokenOptions): CredentialsSource {
  let kept: { readonly token: string; readonly until: number } | undefined;
  return {
    async get(renew) {
      const now = options.clock.now();
      if (kept && !renew && now < kept.until) return { kind: 'Found', credentials: { token: kept.token } };
      try {
        kept = { token: await eksToken(options), until: now + tokenLifetime };
        return { kind: 'Found', credentials: { token: kept.token } };
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        return { kind: 'Unavailable', why: `no token for EKS cluster ${options.clusterName} could be signed: ${why}` };
      }
    },
  };
}

/** `k8s-aws-v1.` and the presigned GetCallerIdentity URL in base64url; the cluster's name is a signed header. */
export async function eksToken({ clusterName, region, keys, clock }: EksTokenOptions): Promise<string> {
  const signer = new SignatureV4({ service: 'sts', region, credentials: await keys(), sha256: Sha256 });
  const host = `sts.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
  const signed = await signer.presign(
    {
      method: 'GET',
      protocol: 'https:',
      hostname: host,
      path: '/',
      query: { Action: 'GetCallerIdentity', Version: '2011-06-15' },
      headers: { host, 'x-k8s-aws-id': clusterName },
    },
    { expiresIn: 60, signingDate: new Date(clock.now()), unhoistableHeaders: new Set(['x-k8s-aws-id']) },
  );
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(signed.query ?? {})) query.set(name, String(value));
  const url = `https://${host}/?${query}`;
  return `k8s-aws-v1.${Buffer.from(url).toString('base64url')}`;
}

/** The keys that Lambda puts into every function's environment. */
export function keysFromEnvironment(env: Readonly<Record<string, string | undefined>>): () => Promise<AwsKeys> {
  return async () => {
    const {
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
      AWS_SESSION_TOKEN: sessionToken,
    } = env;
    if (!accessKeyId || !secretAccessKey) throw new Error('AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set');
    return sessionToken ? { accessKeyId, secretAccessKey, sessionToken } : { accessKeyId, secretAccessKey };
  };
}

/** The hash that the signer asks for, on node:crypto; with a secret it is an HMAC. */
class Sha256 {
  readonly #secret: string | Uint8Array | undefined;
  #hash: Hash | Hmac;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#secret = secret === undefined ? undefined : bytesOf(secret);
    this.#hash = this.#fresh();
  }

  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(bytesOf(data));
  }

  async digest(): Promise<Uint8Array> {
    return new Uint8Array(this.#hash.digest());
  }

  reset(): void {
    this.#hash = this.#fresh();
  }

  #fresh(): Hash | Hmac {
    return this.#secret === undefined ? createHash('sha256') : createHmac('sha256', this.#secret);
  }
}

function bytesOf(data: string | ArrayBuffer | ArrayBufferView): string | Uint8Array {
  if (typeof data === 'string') return data;
  return data instanceof ArrayBuffer
    ? new Uint8Array(data)
    : new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}
