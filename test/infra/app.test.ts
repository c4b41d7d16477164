// The CDK app as a process: what it needs, what it refuses, and what it reads from the account, which is an HTTP fake here.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { App } from 'aws-cdk-lib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { synthesize } from '../../infra/synthesize.ts';
import { selfSignedCertificate } from '../../lib/local/cluster/certificate.ts';
import { cluster, clusterOf, context, install, project } from './support/installation.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'sluice-app-'));
const example = 'deploy/examples/configuration/sluice.yaml';

/** Answers as CloudFormation (query protocol) and EKS (REST) do; `deployed` is what the stack has. */
const account: { deployed: object | 'Missing' | 'Denied'; asked: string[] } = { deployed: 'Missing', asked: [] };
const { certificate } = selfSignedCertificate({
  commonName: 'kubernetes',
  hosts: ['api.example.com'],
  notBefore: new Date('2026-01-01'),
  notAfter: new Date('2036-01-01'),
});
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const error = (status: number, code: string, message: string) => ({
  status,
  body: `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`,
});
function answer(url: string, body: string): { status: number; body: string } {
  account.asked.push(body.includes('GetTemplate') ? 'GetTemplate' : url);
  const eks = /^\/clusters\/(.+)$/.exec(url)?.[1];
  if (eks !== undefined) {
    const data = Buffer.from(certificate).toString('base64');
    const found = {
      name: eks,
      endpoint: `https://${eks}.gr7.eu-west-1.eks.amazonaws.com`,
      certificateAuthority: { data },
    };
    return { status: 200, body: JSON.stringify({ cluster: found }) };
  }
  if (account.deployed === 'Missing') return error(400, 'ValidationError', 'Stack with id Sluice does not exist');
  if (account.deployed === 'Denied')
    return error(403, 'AccessDenied', 'not authorized to perform cloudformation:GetTemplate');
  const text = escaped(JSON.stringify(account.deployed));
  return {
    status: 200,
    body: `<GetTemplateResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><GetTemplateResult><TemplateBody>${text}</TemplateBody></GetTemplateResult></GetTemplateResponse>`,
  };
}
const server = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => {
    body += chunk;
  });
  request.on('end', () => {
    const answered = answer(request.url ?? '', body);
    response.writeHead(answered.status, { 'content-type': request.url === '/' ? 'text/xml' : 'application/json' });
    response.end(answered.body);
  });
});
/** The SDK reads these variables when a client is made. */
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const endpoint = {
    AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
  };
  for (const [name, value] of Object.entries(endpoint)) vi.stubEnv(name, value);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

interface Run {
  readonly context?: Readonly<Record<string, unknown>>;
  /** With credentials, as the command line of the CDK passes them. */
  readonly credentials?: true;
}

const withCredentials = { CDK_DEFAULT_ACCOUNT: '123456789012', CDK_DEFAULT_REGION: 'eu-west-1' };

/** What the app says, with `refused` before an error. The validations of a deployment take seconds, and template.test.ts has them. */
async function synth({ context: own = {}, credentials }: Run): Promise<string> {
  const said: string[] = [];
  const outdir = path.join(folder, 'cdk.out');
  const app = new App({ context: context(own), outdir, builtinCloudFormationValidation: false, autoSynth: false });
  const environment = credentials ? withCredentials : {};
  await synthesize(app, { environment, folder: project, say: (text) => said.push(text) }).catch((thrown: Error) =>
    said.push(`refused: ${thrown.message}`),
  );
  return said.join('\n');
}

function run(own: Readonly<Record<string, unknown>>): Promise<{ status: number | null; said: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['infra/app.ts'], {
      cwd: project,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env.PATH,
        CDK_OUTDIR: path.join(folder, 'none'),
        CDK_CONTEXT_JSON: JSON.stringify(context(own)),
      },
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        said += chunk;
      });
    child.on('error', reject);
    child.on('close', (status) => resolve({ status, said }));
  });
}

const file = (name: string, text: string) => {
  writeFileSync(path.join(folder, name), text);
  return path.join(folder, name);
};

describe('the CDK app', () => {
  it('the CDK app refuses to synthesize without a configuration, and names the example', async () => {
    const { status, said } = await run({});
    expect(said).toMatch(
      /^sluice: there is no sluice\.yaml in .+: copy deploy\/examples\/configuration\/sluice\.yaml to sluice\.yaml/,
    );
    expect(said.trim().split('\n')).toHaveLength(1);
    expect(status).toBe(1);
    expect(existsSync(path.join(folder, 'none', 'manifest.json'))).toBe(false);
  });

  it('the CDK app refuses a wrong configuration with its places and without a stack trace', async () => {
    const wrong = file('wrong.yaml', 'clusters:\n  - nam: prod\n');
    const { status, said } = await run({ config: wrong });
    expect(said).toMatch(/wrong\.yaml:2:5: clusters\[0\]\.nam: there is no such key; did you mean "name"\?/);
    expect(said).not.toMatch(/^\s+at /m);
    expect(status).toBe(1);
  });

  it('the CDK app refuses context keys of version 0.1 with the lines that replace them', async () => {
    expect(await synth({ context: { config: example, clusters: JSON.stringify([cluster]) } })).toContain(
      'refused: context keys are no longer read: clusters. Write into sluice.yaml instead:\n\nclusters:\n  - name: prod\n',
    );
  });

  it('the CDK app synthesizes the example, and says that removals were not checked without credentials', async () => {
    account.asked = [];
    const said = await synth({ context: { config: example } });
    expect(said).toContain(`configuration: ${example} (the example: nothing of yours is in it)`);
    expect(said).toContain('no AWS credentials: it was not checked');
    expect(said).not.toContain('refused');
    expect(account.asked).toEqual([]);
  });

  it('the CDK app reads the deployed template with credentials, and refuses to remove a cluster', async () => {
    account.deployed = install({ clusters: [cluster, clusterOf('stage')] }).template;
    const refused = await synth({ context: { config: example }, credentials: true });
    expect(refused).toContain('refused: this removes from the deployed stack Sluice: cluster stage.');
    const allowed = await synth({ context: { config: example, allowRemoval: 'stage' }, credentials: true });
    expect(allowed).not.toContain('refused');
  });

  it('the CDK app continues if no stack is deployed, and refuses if the stack cannot be read', async () => {
    account.deployed = 'Missing';
    expect(await synth({ context: { config: example }, credentials: true })).not.toContain('refused');
    account.deployed = 'Denied';
    expect(await synth({ context: { config: example }, credentials: true })).toContain(
      'cannot be read (not authorized to perform cloudformation:GetTemplate)',
    );
  });

  it('the CDK app asks EKS for an endpoint that the configuration leaves out', async () => {
    account.deployed = 'Missing';
    account.asked = [];
    const eks = file(
      'eks.yaml',
      'stack: {region: eu-west-1}\nclusters:\n  - {name: prod, auth: {kind: eks, clusterName: prod-eks}}\n',
    );
    expect(await synth({ context: { config: eks }, credentials: true })).not.toContain('refused');
    expect(account.asked).toEqual(['/clusters/prod-eks', 'GetTemplate']);
    expect(readFileSync(path.join(folder, 'cdk.out', 'Sluice.template.json'), 'utf8')).toContain(
      'https://prod-eks.gr7.eu-west-1.eks.amazonaws.com',
    );
  });
});
