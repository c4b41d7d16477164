// The HTTP server of the console, over a simulated cluster: what it serves and what it refuses.
import { describe, expect, it } from 'vitest';
import { aPicture, at } from '../../view/pictures.ts';
import { ask, type ServedScene, serveConsole, textOf } from '../support/consoleScene.ts';
import { gpuRule, objectsOf, type Scene, startScene } from '../support/scene.ts';

const table = { state: () => Promise.reject(new Error('not asked')), progress: async () => aPicture() };

async function serving(
  work: (server: ServedScene) => Promise<void>,
  by: Parameters<typeof serveConsole>[0] = { table },
): Promise<void> {
  const server = await serveConsole(by);
  try {
    await work(server);
  } finally {
    await server.stop();
  }
}

async function overCluster(work: (server: ServedScene, scene: Scene) => Promise<void>): Promise<void> {
  const scene = await startScene();
  try {
    await serving((server) => work(server, scene), { kubeconfig: scene.kubeconfig });
  } finally {
    await scene.stop();
  }
}

describe('the console without a kubeconfig', () => {
  it('the console without a kubeconfig serves progress, JSON and health from the table, and says what the fleet page needs', () =>
    serving(async ({ url }) => {
      expect((await ask(url)).headers.location).toBe('/rules');
      expect((await ask(`${url}rules`)).body).toMatch(/^<!doctype html>.*bad-gpus.*<\/html>\s*$/s);
      expect(JSON.parse((await ask(`${url}progress.json`)).body)).toEqual(aPicture());
      expect((await ask(`${url}healthz`)).body).toBe('ok prod\n');
      expect((await ask(`${url}fleet`)).body).toContain('Start the console with --kubeconfig FILE');
      expect((await ask(`${url}nothing`)).status).toBe(404);
    }));

  it.each<[string, string, Parameters<typeof ask>[1], number]>([
    ['the changes of an invalid address', 'live?of=//', {}, 404],
    [
      'a form that cannot be parsed',
      'act/pause',
      { method: 'POST', text: 'garbage', headers: { 'content-type': 'multipart/form-data; boundary=x' } },
      400,
    ],
  ])('the console refuses %s without a stack trace', (_, path, sent, status) =>
    serving(async ({ url }) => {
      const origin = new URL(url).origin;
      const answer = await ask(`${url}${path}`, { ...sent, headers: { ...sent?.headers, origin } });
      expect(answer.status).toBe(status);
      expect(answer.body).not.toMatch(/ at |Internal Server Error/);
    }),
  );

  it('the console reports that the table cannot be read, and recovers', async () => {
    let broken = true;
    const progress = async () => {
      if (broken) throw new Error('connection refused');
      return aPicture();
    };
    await serving(
      async (server) => {
        const answer = await ask(`${server.url}healthz`);
        expect(answer.status).toBe(503);
        expect(answer.body).toMatch(/state table cannot be read: connection refused/);
        expect((await ask(`${server.url}rules`)).body).toContain('Not read: the state table');
        broken = false;
        await server.shows('/rules', 'bad-gpus');
        expect((await ask(`${server.url}healthz`)).status).toBe(200);
      },
      { table: { ...table, progress } },
    );
  });

  it('every page warns while the watcher is silent', () =>
    serving(
      async ({ url }) => {
        for (const path of ['rules', 'timeline', 'why'])
          expect((await ask(`${url}${path}`)).body).toContain('Silent: the watcher of prod');
      },
      {
        table: {
          ...table,
          progress: async () => aPicture({ watcher: { lastHeard: at - 90_000, age: 90_000, isAlive: false } }),
        },
      },
    ));
});

describe('the security of the console', () => {
  it('a page runs and loads only its own style and script, and may not be cached, framed or sniffed', () =>
    serving(async ({ url }) => {
      const { headers } = await ask(`${url}rules`);
      const policy = String(headers['content-security-policy']);
      expect(policy).toMatch(/default-src 'none'/);
      expect(policy).toMatch(/script-src 'sha256-[A-Za-z0-9+/=]{44}'/);
      expect(policy).toMatch(/frame-ancestors 'none'/);
      expect(policy).toMatch(/form-action 'self'/);
      expect(policy).not.toMatch(/unsafe/);
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'cache-control': 'no-store',
      });
      expect(headers).not.toHaveProperty('strict-transport-security');
      expect(headers).not.toHaveProperty('set-cookie');
    }));

  it.each([
    ['127.0.0.1:8080', 200],
    ['localhost', 200],
    ['rebound.example.com', 421],
    ['127.0.0.1.example.com', 421],
  ])('a request with the Host header %s gets status %i', (host, status) =>
    serving(async ({ url }) => {
      expect((await ask(`${url}progress.json`, { headers: { host } })).status).toBe(status);
    }),
  );

  it('a form is accepted only with the origin of the console and the token of the page', () =>
    overCluster(async (server, scene) => {
      scene.cluster.seed(gpuRule);
      const path = '/act/pause?kind=rule&name=DeviceTaintRule/unhealthy-gpus';
      const page = await server.shows(path, 'name="token"');
      const [, token = ''] = /name="token" value="([0-9a-f]{64})"/.exec(page) ?? [];
      const form = { kind: 'rule', name: 'DeviceTaintRule/unhealthy-gpus', token };
      const to = `${server.url}act/pause`;
      const origin = server.url.slice(0, -1);
      const post = (headers: Record<string, string>, fields: Record<string, string>) =>
        ask(to, { method: 'POST', headers, form: fields });
      expect((await post({}, form)).status).toBe(403);
      expect((await post({ origin: 'http://evil.example.com' }, form)).status).toBe(403);
      expect((await post({ origin: 'null' }, form)).status).toBe(403);
      expect((await post({ origin }, { ...form, token: '' })).status).toBe(403);
      expect((await post({ origin }, { ...form, token: '0'.repeat(64) })).status).toBe(403);
      expect((await post({ origin }, { ...form, token: 'é'.repeat(64) })).status).toBe(403);
      const [rule] = objectsOf(scene.cluster, 'devicetaintrules');
      expect(rule?.metadata.annotations ?? {}).toEqual({});
      // As after a restart of the console: a page that says so and leads back to the form, with what was typed.
      const stale = await post({ origin }, { ...form, token: '0'.repeat(64), why: 'disks fail' });
      expect(textOf(stale.body)).toContain(
        'The console was restarted after this page was loaded, so nothing was done.',
      );
      const [, again = ''] = /href="([^"]*why=[^"]*)">Try again</.exec(stale.body) ?? [];
      expect((await ask(`${origin}${again.replaceAll('&amp;', '&')}`)).body).toContain('value="disks fail"');
      expect((await post({ origin }, form)).body).toContain('is paused');
    }));
});

it('the console names a port that is already in use', () =>
  serving(async ({ port }) => {
    const { startConsole } = await import('../../../lib/commands/console/server.ts');
    const { consoleIo } = await import('../support/consoleScene.ts');
    await expect(startConsole({ name: 'prod', tableHint: '', io: consoleIo(), port })).rejects.toThrow(
      `port ${port} is in use`,
    );
  }));

it('the console does not answer after it is stopped', async () => {
  const server = await serveConsole({ table });
  expect((await ask(`${server.url}rules`)).status).toBe(200);
  await server.stop();
  await expect(ask(server.url)).rejects.toThrow();
});
