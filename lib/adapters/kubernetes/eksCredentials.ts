// A bearer token for an EKS cluster: a presigned GetCallerIdentity request, signed locally without a network call.
import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import type { CredentialsSource } from './credentials.ts';

/** Milliseconds. EKS API servers accept a token for about 15 minutes. */
const keepFor = 10 * 60_000;

/** Environment variables that AWS Lambda sets for the function's role. */
export interface RoleEnvironment {
  readonly AWS_REGION?: string;
  readonly AWS_ACCESS_KEY_ID?: string;
  readonly AWS_SECRET_ACCESS_KEY?: string;
  readonly AWS_SESSION_TOKEN?: string;
}

export function eksCredentials(clusterName: string, role: RoleEnvironment, now: () => number): CredentialsSource {
  let kept: { readonly token: string; readonly at: number } | undefined;
  return {
    async get(renew) {
      if (kept && !renew && now() - kept.at < keepFor) return { kind: 'Found', credentials: { token: kept.token } };
      try {
        kept = { token: await signToken(clusterName, role, now()), at: now() };
        return { kind: 'Found', credentials: { token: kept.token } };
      } catch (error) {
        return {
          kind: 'Unavailable',
          why: `no token for EKS cluster ${clusterName}: ${error instanceof Error ? error.message : error}`,
        };
      }
    },
  };
}

/** The token format of aws-iam-authenticator: the cluster's name is a signed header, the URL is the token. */
async function signToken(clusterName: string, role: RoleEnvironment, now: number): Promise<string> {
  const { AWS_REGION: region, AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = role;
  if (!region || !accessKeyId || !secretAccessKey) {
    throw new Error(
      'AWS_REGION, AWS_ACCESS_KEY_ID or AWS_SECRET_ACCESS_KEY is not set; run this as a function with a role',
    );
  }
  const session = role.AWS_SESSION_TOKEN ? { sessionToken: role.AWS_SESSION_TOKEN } : {};
  const hostname = `sts.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
  const signer = new SignatureV4({
    service: 'sts',
    region,
    credentials: { accessKeyId, secretAccessKey, ...session },
    sha256: Sha256,
  });
  const request = {
    protocol: 'https:',
    hostname,
    method: 'GET',
    path: '/',
    query: { Action: 'GetCallerIdentity', Version: '2011-06-15' },
    headers: { host: hostname, 'x-k8s-aws-id': clusterName },
  };
  // Must stay a signed header: the authenticator does not look for it in the query.
  const unhoistableHeaders = new Set(['x-k8s-aws-id']);
  const signed = await signer.presign(request, { expiresIn: 60, signingDate: new Date(now), unhoistableHeaders });
  const query = Object.entries(signed.query ?? {}).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`,
  );
  return `k8s-aws-v1.${Buffer.from(`https://${hostname}/?${query.join('&')}`).toString('base64url')}`;
}

/** SHA-256 or HMAC-SHA-256, with the interface that the signer expects. */
class Sha256 {
  private readonly hash: Hash | Hmac;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.hash = secret === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(secret));
  }

  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.hash.update(bytesOf(data));
  }

  async digest(): Promise<Uint8Array> {
    return this.hash.digest();
  }

  reset(): void {
    throw new Error('a digest is used once');
  }
}

function bytesOf(data: string | ArrayBuffer | ArrayBufferView): Buffer {
  if (typeof data === 'string') return Buffer.from(data, 'utf8');
  return ArrayBuffer.isView(data) ? Buffer.from(data.buffer, data.byteOffset, data.byteLength) : Buffer.from(data);
}
