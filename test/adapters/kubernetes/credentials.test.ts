// Credentials: a file that is read again after it was refused, and EKS tokens that an authenticator would accept.
import { createHash, createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { credentialsFromFile } from '../../../lib/adapters/kubernetes/credentials.ts';
import { eksCredentials } from '../../../lib/adapters/kubernetes/eksCredentials.ts';

describe('a credentials file', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'sluice-'));
    file = path.join(folder, 'credentials.json');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('a credentials file is read once, and again after its credentials were refused', async () => {
    writeFileSync(file, JSON.stringify({ token: 'one' }));
    const source = credentialsFromFile(file);
    expect(await source.get(false)).toEqual({ kind: 'Found', credentials: { token: 'one' } });
    writeFileSync(file, JSON.stringify({ clientCertificate: 'cert', clientKey: 'key' }));
    expect(await source.get(false)).toEqual({ kind: 'Found', credentials: { token: 'one' } });
    const renewed = { kind: 'Found', credentials: { clientCertificate: 'cert', clientKey: 'key' } };
    expect(await source.get(true)).toEqual(renewed);
    expect(await source.get(false)).toEqual(renewed);
  });

  it.each([
    ['is not there', undefined],
    ['is not JSON', 'token'],
    ['holds a token that is no text', '{"token": 5}'],
    ['holds an empty token', '{"token": ""}'],
  ])('the error names a credentials file that %s', async (_, content) => {
    if (content !== undefined) writeFileSync(file, content);
    const found = await credentialsFromFile(file).get(false);
    expect(found).toMatchObject({ kind: 'Unavailable', why: expect.stringContaining(file) });
  });

  it('a credentials file that becomes unusable is noticed at the next renewal, and is used again once it is repaired', async () => {
    writeFileSync(file, JSON.stringify({ token: 'one' }));
    const source = credentialsFromFile(file);
    await source.get(false);
    writeFileSync(file, '');
    expect((await source.get(true)).kind).toBe('Unavailable');
    writeFileSync(file, JSON.stringify({ token: 'two' }));
    expect(await source.get(false)).toEqual({ kind: 'Found', credentials: { token: 'two' } });
  });
});

const role = {
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'secret/with+signs',
  AWS_SESSION_TOKEN: 'session+token/=',
};
const signedAt = Date.UTC(2026, 0, 2, 3, 4, 5);

async function tokenUrl(environment: object = role): Promise<URL> {
  const found = await eksCredentials('prod', environment, () => signedAt).get(false);
  const token = found.kind === 'Found' ? (found.credentials.token ?? '') : '';
  expect(token).toMatch(/^k8s-aws-v1\.[A-Za-z0-9_-]+$/);
  return new URL(Buffer.from(token.slice('k8s-aws-v1.'.length), 'base64url').toString());
}

/** AWS Signature Version 4, implemented a second time from its specification. */
function expectedSignature(url: URL): string {
  const hmac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data).digest();
  const sha = (data: string) => createHash('sha256').update(data).digest('hex');
  const query = [...url.searchParams].filter(([name]) => name !== 'X-Amz-Signature');
  const encode = (part: string) =>
    encodeURIComponent(part).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  const canonicalQuery = query
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&');
  const headers = `host:${url.host}\nx-k8s-aws-id:prod\n`;
  const canonical = ['GET', '/', canonicalQuery, headers, 'host;x-k8s-aws-id', sha('')].join('\n');
  const scope = '20260102/eu-central-1/sts/aws4_request';
  const toSign = ['AWS4-HMAC-SHA256', '20260102T030405Z', scope, sha(canonical)].join('\n');
  const key = ['eu-central-1', 'sts', 'aws4_request'].reduce(
    (signed, part) => hmac(signed, part),
    hmac(`AWS4${role.AWS_SECRET_ACCESS_KEY}`, '20260102'),
  );
  return hmac(key, toSign).toString('hex');
}

describe('a token for EKS', () => {
  it('an EKS token is a presigned GetCallerIdentity call, valid for a minute and bound to the cluster', async () => {
    const url = await tokenUrl();
    expect(url.origin).toBe('https://sts.eu-central-1.amazonaws.com');
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      Action: 'GetCallerIdentity',
      Version: '2011-06-15',
      'X-Amz-Expires': '60',
      'X-Amz-Date': '20260102T030405Z',
      'X-Amz-SignedHeaders': 'host;x-k8s-aws-id',
      'X-Amz-Security-Token': role.AWS_SESSION_TOKEN,
    });
    expect(url.searchParams.get('X-Amz-Signature')).toBe(expectedSignature(url));
  });

  it('an EKS token is signed for the STS endpoint of the region’s partition', async () => {
    expect((await tokenUrl({ ...role, AWS_REGION: 'cn-north-1' })).host).toBe('sts.cn-north-1.amazonaws.com.cn');
  });

  it('an EKS token is reused for ten minutes, and signed again after it was refused', async () => {
    let now = signedAt;
    const source = eksCredentials('prod', role, () => now);
    const first = await source.get(false);
    now += 599_999;
    expect(await source.get(false)).toEqual(first);
    expect(await source.get(true)).not.toEqual(first);
    const second = await source.get(false);
    now += 600_000;
    expect(await source.get(false)).not.toEqual(second);
  });

  it.each(['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'])(
    'an EKS token cannot be signed without %s',
    async (missing) => {
      const found = await eksCredentials('prod', { ...role, [missing]: undefined }, () => signedAt).get(false);
      expect(found).toMatchObject({ kind: 'Unavailable', why: expect.stringContaining(missing) });
    },
  );
});
