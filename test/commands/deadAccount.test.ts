// Verbs of an installation where AWS does not answer: nothing is said to be missing that was not read, and each error helps.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { checkAccount } from '../../lib/commands/install/preflight.ts';
import { awsFailure } from '../../lib/commands/installation/open.ts';
import { unreadStack } from '../../lib/commands/installation/stack.ts';
import { readConfig } from '../../lib/config/read.ts';
import { awsText } from '../../lib/doctor/awsRemedy.ts';
import { found } from '../../lib/doctor/found.ts';

const program = fileURLToPath(new URL('../../bin/sluice.ts', import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), 'sluice-dead-account-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const text = 'stack: {name: S, region: eu-west-1}\nclusters: [{name: prod, auth: {kind: eks, clusterName: prod}}]\n';
writeFileSync(path.join(folder, 'sluice.yaml'), text);

writeFileSync(path.join(folder, 'helm'), '#!/bin/sh\necho v3.19.0\n', { mode: 0o755 });

const image = `sluice@sha256:${'a'.repeat(64)}`;

const keys = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' };

async function sluice(words: string, credentials: Readonly<Record<string, string>> = keys) {
  const env = {
    PATH: `${folder}:/usr/bin:/bin`,
    HOME: folder,
    AWS_REGION: 'eu-west-1',
    ...credentials,
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_MAX_ATTEMPTS: '1',
    // Nothing listens there.
    AWS_ENDPOINT_URL: 'http://127.0.0.1:1',
  };
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, ...words.split(' ')], {
    cwd: folder,
    env,
  });
  const said = { out: '', err: '' };
  child.stdout.on('data', (data) => (said.out += data));
  child.stderr.on('data', (data) => (said.err += data));
  const [status] = await once(child, 'close');
  return { status, ...said };
}

describe('an account that does not answer', () => {
  const unread =
    /^error: stack S in eu-west-1 cannot be read: .*ECONNREFUSED.*\ncheck the region and the connection to AWS\n$/;
  it.each([
    ['uninstall --yes', unread],
    ['mode show --cluster prod', unread],
    ['get clusters', unread],
    ['top --once --stack S', unread],
    ['config import --stack S --to new.yaml', unread],
    [
      'get clusters --stack S --region eu-wst-1',
      /^error: stack S in eu-wst-1 cannot be read: .*\nthis release knows no region eu-wst-1; did you mean eu-west-1\?\n$/,
    ],
    [
      'mode show --table t --cluster prod',
      /^error: table t in eu-west-1: .*ECONNREFUSED.*\ncheck the region and the connection to AWS\n$/,
    ],
    ['mode differences --day 2026-02-31', /^error: --day is "2026-02-31", which is not a date\n/],
    ['mode set native own --queue q', /^error: --queue is "q", which is not a URL; nothing was switched\n/],
    [`upgrade --image ${image} --config none.yaml`, /^error: none\.yaml: there is no such file\n/],
  ])('sluice %s says what could not be read, and what helps', async (words, said) => {
    const { status, out, err } = await sluice(words);
    expect(err).toMatch(said);
    expect(err.trimEnd().split('\n').length).toBeLessThanOrEqual(3);
    expect({ status, out }).toEqual({ status: err.startsWith('error: --') ? 2 : 1, out: '' });
  });

  it('a profile that does not exist is named beside what helps', async () => {
    const { status, err } = await sluice('config import --stack S --to new.yaml', { AWS_PROFILE: 'prdo' });
    expect({ status, err }).toEqual({
      status: 1,
      err: expect.stringMatching(
        /^error: stack S in eu-west-1 cannot be read: no credentials were found, and AWS_PROFILE is prdo\nsign in \(aws sso login\), or set AWS_PROFILE/,
      ),
    });
  });

  it.each([
    [
      'ECONNREFUSED, in a mistyped region',
      'eu-wst-1',
      'connect ECONNREFUSED',
      'this release knows no region eu-wst-1; did you mean eu-west-1?',
    ],
    [
      'an expired session',
      'eu-west-1',
      'The security token included in the request is expired',
      'log in again: aws sso login',
    ],
    ['a page of a proxy', 'eu-west-1', awsText(new Error('Unknown')), 'check the region and the connection to AWS'],
  ])('an error says what helps against %s', (_, region, why, help) => {
    expect(unreadStack({ stack: 'S', region }, why)).toMatchObject({ help });
  });

  it.each([
    new SyntaxError(
      'Unexpected token < is not valid JSON\n  Deserialization error: to see the raw response, inspect $response',
    ),
    Object.assign(new Error('Unknown'), { name: 'Unknown' }),
  ])('a page of a proxy is told as such, without the words of the SDK: %s', async (error) => {
    const why = 'the answer is not one of AWS';
    expect(await found(() => Promise.reject(error))).toEqual({ kind: 'Missing', why });
    expect(awsFailure(error, { tableName: 't', target: { region: 'eu-west-1' } })).toMatchObject({
      message: `table t in eu-west-1: ${why}`,
      help: 'check the region and the connection to AWS',
    });
  });

  it('a dry run of uninstall says what it would remove', async () => {
    expect(await sluice('uninstall --clusters-only --dry-run')).toEqual({
      status: 0,
      out: 'would remove Sluice with all of its rules from clusters prod, and keep the stack\n',
      err: 'dry run: nothing was written\n',
    });
  });

  it('a stack that could not be read is a problem of the checks, and not taken for a new one', () => {
    const facts = {
      region: 'eu-west-1',
      account: { kind: 'Found', value: '123456789012' },
      concurrency: { kind: 'Found', value: 1000 },
      isBootstrapped: false,
      unread: 'AccessDenied: not authorized to perform cloudformation:DescribeStacks',
    } as const;
    expect(checkAccount(facts, readConfig(text, 'sluice.yaml'))).toContainEqual(
      expect.objectContaining({ kind: 'Problem', subject: 'CloudFormation' }),
    );
  });
});
