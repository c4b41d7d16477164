// The API server's address and the credentials, from every form of kubeconfig that platforms hand out.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { findCluster } from '../../../lib/adapters/kubernetes/kubeConfig.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sluice-'));
  file = path.join(folder, 'kubeconfig');
});
afterEach(() => rmSync(folder, { recursive: true }));

const base64 = (text: string) => Buffer.from(text).toString('base64');

function write(user: object, cluster: object = {}): void {
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server: 'https://10.0.0.1:6443', ...cluster } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
  writeFileSync(file, stringify(config));
}

async function found() {
  const result = await findCluster({ KUBECONFIG: file });
  if (result.kind === 'Unusable') throw new Error(result.why);
  return result.cluster;
}

async function credentials(renew = false) {
  return (await found()).credentials.get(renew);
}

describe('a kubeconfig', () => {
  it('a kubeconfig names the API server and the CA, inline or in a file', async () => {
    write({ token: 't' }, { 'certificate-authority-data': base64('PEM') });
    expect((await found()).address).toEqual({ endpoint: 'https://10.0.0.1:6443', certificateAuthority: 'PEM' });
    writeFileSync(path.join(folder, 'ca.crt'), 'PEM of a file');
    write(
      { token: 't' },
      { 'certificate-authority': 'ca.crt', 'tls-server-name': 'api', 'insecure-skip-tls-verify': true },
    );
    expect((await found()).address).toEqual({
      endpoint: 'https://10.0.0.1:6443',
      certificateAuthority: 'PEM of a file',
      tlsServerName: 'api',
      skipTlsVerify: true,
    });
  });

  it('a file of a list may be missing, as with kubectl, but not all of them', async () => {
    write({ token: 't' });
    const missing = path.join(folder, 'missing');
    const list = (...files: readonly string[]) => findCluster({ KUBECONFIG: files.join(path.delimiter) });
    expect(await list(missing, file)).toMatchObject({ kind: 'Found', cluster: { context: 'x' } });
    expect(await list(file, missing)).toMatchObject({ kind: 'Found', cluster: { context: 'x' } });
    expect(await list(missing, `${missing}-too`)).toMatchObject({ kind: 'Unusable' });
  });

  it('credentials that are read again are never those of another context or server', async () => {
    const other = path.join(folder, 'other');
    const list = { KUBECONFIG: [file, other].join(path.delimiter) };
    const elsewhere = { token: 'for another server' };
    const config = {
      clusters: [{ name: 'd', cluster: { server: 'https://10.0.0.2:6443' } }],
      users: [{ name: 'v', user: elsewhere }],
      contexts: [{ name: 'y', context: { cluster: 'd', user: 'v' } }],
      'current-context': 'y',
    };
    writeFileSync(other, stringify(config));
    write({ token: 't' });
    const result = await findCluster(list);
    if (result.kind === 'Unusable') throw new Error(result.why);
    const { credentials: source } = result.cluster;
    expect(await source.get(false)).toMatchObject({ credentials: { headers: { authorization: 'Bearer t' } } });
    rmSync(file);
    expect(await source.get(true)).toMatchObject({ kind: 'Unavailable', why: expect.stringContaining('no context x') });
    write(elsewhere, { server: 'https://10.0.0.2:6443' });
    expect(await source.get(true)).toMatchObject({ kind: 'Unavailable', why: expect.stringContaining('10.0.0.2') });
    write({ token: 'new' });
    expect(await source.get(true)).toMatchObject({ credentials: { headers: { authorization: 'Bearer new' } } });
  });

  it.each([
    ['a token', { token: 't' }, { headers: { authorization: 'Bearer t' } }],
    [
      'a client certificate',
      { 'client-certificate-data': base64('C'), 'client-key-data': base64('K') },
      { headers: {}, clientCertificate: 'C', clientKey: 'K' },
    ],
    ['name and password', { username: 'u', password: 'p' }, { headers: { authorization: `Basic ${base64('u:p')}` } }],
    [
      'a user to impersonate',
      { token: 't', as: 'system:serviceaccount:a:b' },
      { headers: { authorization: 'Bearer t', 'impersonate-user': 'system:serviceaccount:a:b' } },
    ],
  ])('a kubeconfig is read as kubectl does: it gives %s', async (_, user, expected) => {
    write(user);
    expect(await credentials()).toEqual({ kind: 'Found', credentials: expected });
  });

  it('the token of an exec plugin is reused, and the plugin runs again after the token was refused', async () => {
    const plugin = path.join(folder, 'plugin.mjs');
    const counter = path.join(folder, 'count');
    writeFileSync(counter, '');
    writeFileSync(
      plugin,
      `import { appendFileSync, readFileSync } from 'node:fs';
       appendFileSync(${JSON.stringify(counter)}, 'x');
       const token = 'token-' + readFileSync(${JSON.stringify(counter)}).length;
       console.log(JSON.stringify({ kind: 'ExecCredential', status: { token } }));`,
    );
    write({ exec: { apiVersion: 'client.authentication.k8s.io/v1', command: process.execPath, args: [plugin] } });
    const { credentials: source } = await found();
    const token = async (renew: boolean) => {
      const result = await source.get(renew);
      return result.kind === 'Found' ? result.credentials.headers?.authorization : result.why;
    };
    const first = await token(false);
    expect(first).toMatch(/^Bearer token-\d$/);
    expect(await token(false)).toBe(first);
    expect(await token(true)).not.toBe(first);
  });

  it('a kubeconfig is read again after its credentials were refused', async () => {
    write({ token: 'old' });
    const { credentials: source } = await found();
    write({ token: 'new' });
    expect(await source.get(false)).toMatchObject({ credentials: { headers: { authorization: 'Bearer old' } } });
    expect(await source.get(true)).toMatchObject({ credentials: { headers: { authorization: 'Bearer new' } } });
    rmSync(file);
    expect(await source.get(true)).toMatchObject({ kind: 'Unavailable', why: expect.stringContaining(file) });
  });
});

describe('a kubeconfig that cannot be used', () => {
  it.each<[string, () => void, RegExp]>([
    ['no file', () => {}, /there is no such file/],
    ['no YAML', () => writeFileSync(file, '{'), /cannot be used/],
    ['an empty file', () => writeFileSync(file, ''), /kubeconfig/],
    [
      'no current context',
      () => writeFileSync(file, stringify({ clusters: [], users: [], contexts: [] })),
      /names no cluster/,
    ],
    [
      'a CA file that is not there',
      () => write({ token: 't' }, { 'certificate-authority': 'nowhere.crt' }),
      /nowhere.crt/,
    ],
    ['an exec plugin that is not there', () => write({ exec: { command: './no-such-plugin' } }), /no credentials/],
    [
      'plain HTTP',
      () => write({ token: 't' }, { server: 'http://10.0.0.1:8080' }),
      /: server http:\/\/10\.0\.0\.1:8080 is not https; /,
    ],
  ])('the error for an unusable kubeconfig says what to set: %s', async (_, prepare, why) => {
    prepare();
    const result = await findCluster({ KUBECONFIG: file });
    expect(result).toMatchObject({ kind: 'Unusable', why: expect.stringMatching(why) });
    expect(result.kind === 'Unusable' && result.why).toContain('set KUBECONFIG');
  });

  it('the error says so if KUBECONFIG is not set and the process does not run in a pod', async () => {
    expect(await findCluster({})).toMatchObject({
      kind: 'Unusable',
      why: expect.stringContaining('not set, and not in a pod'),
    });
  });
});
