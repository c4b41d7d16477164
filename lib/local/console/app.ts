// The local page as a web application: the page, its fragment, the same as JSON, and whether it can be read at all.
import { createHash } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import { renderFragment, renderPage } from '../../view/html.ts';
import { pageScript } from '../../view/pageScript.ts';
import { pageStyle } from '../../view/pageStyle.ts';
import type { ClusterProgress } from '../../view/progress.ts';
import { shareReads } from './shareReads.ts';

/** Hosts under which a browser on this machine may ask; any other is a rebound name of a foreign page. */
const ownHosts = /^(127\.0\.0\.1|localhost)(:\d+)?$/;

export function createConsoleApp(read: () => Promise<ClusterProgress>): Hono {
  const app = new Hono();
  const shared = shareReads(read);
  app.use(async (c, next) => {
    if (!ownHosts.test(c.req.header('host') ?? '')) return c.text('This page answers on 127.0.0.1 only.\n', 421);
    return next();
  });
  app.use(secureHeaders(headers));
  app.use(async (c, next) => {
    await next();
    c.header('Cache-Control', 'no-store');
  });
  app.get('/', async (c) => c.html(renderPage(await shared())));
  app.get('/fragment', async (c) => c.html(renderFragment(await shared())));
  app.get('/progress.json', async (c) => c.json(await shared()));
  app.get('/healthz', async (c) => c.text(`ok ${(await shared()).cluster}\n`));
  app.notFound((c) => c.text('Not found. There are /, /fragment, /progress.json and /healthz.\n', 404));
  app.onError(unreadable);
  return app;
}

function unreadable(error: Error, c: Context): Response {
  return c.text(`The state table cannot be read: ${error.message}. The page tries again every second.\n`, 503);
}

/** Nothing but the page's own style and script may run, and nothing but its own address may be asked. */
const headers = {
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    styleSrc: [hashOf(pageStyle)],
    scriptSrc: [hashOf(pageScript)],
    connectSrc: ["'self'"],
    imgSrc: ['data:'],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
  },
  crossOriginResourcePolicy: 'same-origin',
  referrerPolicy: 'no-referrer',
  xFrameOptions: 'DENY',
  // The page is plain HTTP on loopback: promising HTTPS for this host would break every other local server.
  strictTransportSecurity: false,
};

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
