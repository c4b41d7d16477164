// Stack and table are always of one installation: what a verb reads or pauses is in the installation that the user named last.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { writeRemembered } from '../../lib/commands/installation/remembered.ts';
import { clustersOfFile, configuredTarget, regionApart, targetOf } from '../../lib/commands/installation/target.ts';
import { stubDeadAws } from './support/deadAws.ts';
import { objectsOf, type Scene, startScene } from './support/scene.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'sluice-one-installation-'));
const file = path.join(folder, 'beta.yaml');
const cluster = '{name: prod, endpoint: "https://a.example.com", auth: {kind: eks, clusterName: prod}}';

beforeAll(() => writeFileSync(file, `stack: {name: Beta, region: us-east-2}\nclusters: [${cluster}]\n`));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function remember(target: object): Readonly<Record<string, string>> {
  const env = { HOME: folder, SLUICE_TARGETS: path.join(folder, 'targets.json') };
  writeRemembered(env, { current: 'p', targets: { p: target } });
  return env;
}

const asking = (env: object, flags: object = {}) => ({ flags, io: { env } }) as never;
const alpha = { stack: 'Alpha', table: 'alpha', region: 'eu-west-1', cluster: 'prod' };

describe('the installation of a verb', () => {
  it('a stack or table of the environment leaves out stack and table of sluice config use', () => {
    const env = remember(alpha);
    const kept = { region: 'eu-west-1', cluster: 'prod' };
    expect(targetOf(asking({ ...env, SLUICE_STACK: 'Beta' }))).toEqual({ ...kept, stack: 'Beta' });
    expect(targetOf(asking({ ...env, SLUICE_TABLE: 'beta' }))).toEqual({ ...kept, table: 'beta' });
    expect(targetOf(asking(env))).toEqual(alpha);
  });

  it('the file of SLUICE_CONFIG comes before sluice config use, and after SLUICE_STACK', () => {
    const env = { ...remember(alpha), SLUICE_CONFIG: file };
    const beta = { stack: 'Beta', region: 'us-east-2', cluster: 'prod' };
    for (const find of [targetOf, configuredTarget]) expect(find(asking(env))).toEqual(beta);
    expect(targetOf(asking({ ...env, SLUICE_STACK: 'Gamma' }))).toMatchObject({ stack: 'Gamma' });
    expect(targetOf(asking(env, { stack: 'Delta', region: 'eu-west-3' }))).toEqual({
      stack: 'Delta',
      region: 'eu-west-3',
      cluster: 'prod',
    });
  });

  it('a stack that is named does not depend on the file of SLUICE_CONFIG, which may be broken', () => {
    const env = { ...remember(alpha), SLUICE_CONFIG: path.join(folder, 'none.yaml') };
    for (const find of [targetOf, configuredTarget])
      expect(find(asking(env, { stack: 'Beta', region: 'eu-west-3' }))).toMatchObject({ stack: 'Beta' });
    expect(() => targetOf(asking(env))).toThrow('there is no such file');
  });

  it('the region that config use remembers with a stack comes before AWS_REGION, which other programs need', () => {
    const env = { ...remember(alpha), AWS_REGION: 'us-east-1' };
    expect(targetOf(asking(env))).toEqual(alpha);
    expect(targetOf(asking(env, { region: 'eu-west-3' }))).toMatchObject({ stack: 'Alpha', region: 'eu-west-3' });
    expect(targetOf(asking(env, { stack: 'Beta' }))).toEqual({ stack: 'Beta', region: 'us-east-1', cluster: 'prod' });
    expect(targetOf(asking({ ...env, ...remember({ stack: 'Alpha' }) }))).toEqual({
      stack: 'Alpha',
      region: 'us-east-1',
    });
  });

  it('install takes AWS_REGION before the region of a remembered stack, which may be another one', () => {
    const env = { ...remember(alpha), AWS_REGION: 'us-east-1' };
    expect(regionApart(asking(env))).toBe('us-east-1');
    expect(regionApart(asking(env, { region: 'eu-west-3' }))).toBe('eu-west-3');
    expect(regionApart(asking(remember(alpha)))).toBe('eu-west-1');
  });

  it('a kubeconfig answers without AWS although SLUICE_CONFIG names a file', () => {
    const env = { HOME: folder, SLUICE_TARGETS: path.join(folder, 'none.json'), SLUICE_CONFIG: file };
    expect(targetOf(asking(env))).toEqual({});
    expect(configuredTarget(asking(env))).toEqual({ stack: 'Beta', region: 'us-east-2' });
  });

  it('a table alone has not the clusters of a sluice.yaml that is not named', () => {
    const previous = process.cwd();
    process.chdir(folder);
    writeFileSync('sluice.yaml', `stack: {name: Beta}\nclusters: [${cluster}]\n`);
    try {
      expect(clustersOfFile({ file: undefined, io: { env: {} } })).toBeUndefined();
      expect(clustersOfFile({ file, io: { env: {} } })).toEqual(['prod']);
      expect(clustersOfFile({ file: undefined, io: { env: { SLUICE_CONFIG: file } } })).toEqual(['prod']);
    } finally {
      rmSync('sluice.yaml');
      process.chdir(previous);
    }
  });

  it('a remembered table is not combined with the stack of a sluice.yaml', () => {
    const env = remember({ table: 'alpha', region: 'eu-west-1' });
    const previous = process.cwd();
    writeFileSync(path.join(folder, 'sluice.yaml'), `stack: {name: Beta}\nclusters: [${cluster}]\n`);
    process.chdir(folder);
    try {
      expect(configuredTarget(asking(env))).toEqual({ table: 'alpha', region: 'eu-west-1' });
    } finally {
      process.chdir(previous);
      rmSync(path.join(folder, 'sluice.yaml'));
    }
  });
});

describe('a stack and a table of different installations', () => {
  let scene: Scene;
  // Stack Alpha has the table alpha; no other stack exists.
  const server = createServer(async (request, response) => {
    let asked = '';
    for await (const chunk of request) asked += chunk;
    if (new URLSearchParams(asked).get('StackName') !== 'Alpha') {
      const message = '<Message>Stack with id Gamma does not exist</Message>';
      response.writeHead(400, { 'content-type': 'text/xml' });
      response.end(`<ErrorResponse><Error><Code>ValidationError</Code>${message}</Error></ErrorResponse>`);
      return;
    }
    const outputs =
      '<Outputs><member><OutputKey>TableName</OutputKey><OutputValue>alpha</OutputValue></member></Outputs>';
    const stack = `<Stacks><member><StackName>Alpha</StackName>${outputs}</member></Stacks>`;
    response.writeHead(200, { 'content-type': 'text/xml' });
    response.end(
      `<DescribeStacksResponse><DescribeStacksResult>${stack}</DescribeStacksResult></DescribeStacksResponse>`,
    );
  });
  beforeAll(async () => {
    stubDeadAws();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    vi.stubEnv('AWS_ENDPOINT_URL_CLOUDFORMATION', endpoint);
    scene = await startScene();
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    server.closeAllConnections();
    server.close();
    await scene.stop();
  });
  const differ = /^error: the table of stack Alpha is alpha, not beta\n/m;

  it('they are refused where the environment names them', async () => {
    const env = { SLUICE_STACK: 'Alpha', SLUICE_TABLE: 'beta', AWS_REGION: 'eu-west-1' };
    expect(await scene.run(['pause', '--all'], { env })).toMatchObject({
      status: 2,
      out: '',
      err: expect.stringMatching(differ),
    });
  });

  it('they are refused where config use remembers them', async () => {
    await scene.sluice('config', 'use', 'x', '--stack', 'Alpha', '--table', 'beta', '--region', 'eu-west-1');
    expect(await scene.sluice('pause', '--all')).toMatchObject({
      status: 2,
      out: '',
      err: expect.stringMatching(differ),
    });
  });

  it('a stack that does not exist is an error, although the table is named too', async () => {
    const env = { SLUICE_STACK: 'Gamma', SLUICE_TABLE: 'beta', AWS_REGION: 'eu-west-1' };
    expect(await scene.run(['pause', '--all'], { env })).toMatchObject({
      status: 1,
      out: '',
      err: expect.stringContaining('stack Gamma in eu-west-1 cannot be read: '),
    });
  });

  it('the table is used alone if its stack cannot be read', async () => {
    vi.stubEnv('AWS_ENDPOINT_URL_CLOUDFORMATION', 'http://127.0.0.1:1');
    await scene.sluice('config', 'use', 'x', '--stack', 'Alpha', '--table', 'beta', '--region', 'eu-west-1');
    const { err } = await scene.sluice('pause', '--all');
    expect(err).not.toMatch(differ);
    expect(err).toMatch(/beta|DynamoDB/);
  });
});

describe('an installation that only sluice.yaml names', () => {
  let scene: Scene;
  const own = path.join(folder, 'own');
  const previous = process.cwd();
  beforeAll(async () => {
    stubDeadAws();
    scene = await startScene({ hasStops: true });
    mkdirSync(own);
    writeFileSync(path.join(own, 'sluice.yaml'), `stack: {name: Beta, region: us-east-2}\nclusters: [${cluster}]\n`);
    process.chdir(own);
  });
  afterAll(async () => {
    process.chdir(previous);
    vi.unstubAllEnvs();
    await scene.stop();
  });

  it.each([[['pause', '--all']], [['resume', '--all']], [['pause', 'cluster', 'prod']]])(
    '%s is for all its clusters, not for that of the kubeconfig alone',
    async (words) => {
      const { status, out, err } = await scene.sluice(...words);
      expect([status, out]).toEqual([1, '']);
      expect(err).toMatch(/Beta|us-east-2|AWS/);
      expect(objectsOf(scene.cluster, 'evictionstops')).toEqual([]);
    },
  );

  it('a stop with a sluice.yaml that cannot be read names the way by kubeconfig, which is not stopped by that file', async () => {
    const file = path.join(own, 'sluice.yaml');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, 'clusters: nonsense\n');
    try {
      const { status, err } = await scene.sluice('pause', '--all');
      expect([status, err]).toEqual([
        1,
        expect.stringMatching(/sluice\.yaml:1:\d+.*\n.*sluice pause --all --context NAME\n$/),
      ]);
      expect(await scene.sluice('pauses')).toMatchObject({ status: 1, err: expect.stringMatching(/^incomplete: /m) });
      expect((await scene.sluice('pause', '--all', '--context', 'local')).out).toMatch(
        /^the cluster of context local is paused: /,
      );
      expect((await scene.sluice('pauses', '--context', 'local')).status).toBe(0);
      await scene.sluice('resume', '--all', '--context', 'local');
    } finally {
      writeFileSync(file, text);
    }
  });

  it('pauses fails where its state table cannot be read, because a pause may be missing', async () => {
    expect(await scene.sluice('pauses')).toMatchObject({ status: 1, err: expect.stringMatching(/^incomplete: /m) });
  });

  it('a verb that a kubeconfig answers needs no AWS', async () => {
    expect(await scene.sluice('get', 'pods', '-A')).toMatchObject({ status: 0, err: '' });
    expect(await scene.sluice('top', '--once')).toMatchObject({ status: 0, err: '' });
  });

  it('a verb reads it if there is no kubeconfig', async () => {
    const { err } = await scene.run(['top', '--once'], { env: { KUBECONFIG: '', HOME: own } });
    expect(err).not.toContain('neither a cluster nor an installation');
    expect(err).toMatch(/AWS|Beta|us-east-2/);
  });
});

describe('sluice config use', () => {
  let scene: Scene;
  beforeAll(async () => {
    stubDeadAws();
    scene = await startScene();
    await scene.sluice('config', 'use', 'p', '--stack', 'Alpha', '--region', 'eu-west-1', '--cluster', 'prod');
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await scene.stop();
  });

  it('config use replaces stack and table together, because they are of one installation', async () => {
    const use = async (...words: string[]) => (await scene.sluice('config', 'use', 'q', ...words)).out;
    await use('--stack', 'Alpha', '--table', 'alpha', '--region', 'eu-west-1', '--cluster', 'prod');
    expect(await use('--stack', 'Beta')).toBe('using q: stack Beta, region eu-west-1, cluster prod\n');
    expect(await use('--table', 'gamma')).toBe('using q: region eu-west-1, table gamma, cluster prod\n');
    expect(await use('--cluster', 'test')).toBe('using q: region eu-west-1, table gamma, cluster test\n');
    await scene.sluice('config', 'use', 'p');
  });

  it.each([['pause', '--all'], ['doctor']])(
    '%s says which it uses, what config use remembers or another sluice.yaml',
    async (...words) => {
      const previous = process.cwd();
      writeFileSync(path.join(folder, 'sluice.yaml'), `stack: {name: Beta}\nclusters: [${cluster}]\n`);
      process.chdir(folder);
      try {
        const { err } = await scene.sluice(...words);
        expect(err).toContain(
          'using stack Alpha of sluice config use, not Beta of sluice.yaml; for that add --config sluice.yaml\n',
        );
      } finally {
        process.chdir(previous);
        rmSync(path.join(folder, 'sluice.yaml'));
      }
    },
  );
});
