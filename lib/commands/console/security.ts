// Protects the console against other sites and DNS rebinding: Host and Origin checks, a token for posts, a strict CSP.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Context, MiddlewareHandler } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import { consoleScript } from '../../view/console/script.ts';
import { consoleStyle } from '../../view/console/style.ts';

/** Allowed Host headers; any other name is DNS rebinding. */
const ownHosts = /^(127\.0\.0\.1|localhost)(:\d+)?$/;

/** Valid for one process; pages of an earlier process cannot post. */
export function createToken(): string {
  return randomBytes(32).toString('hex');
}

/** `answerStale`: the answer to a form of a page that an earlier process of the console has sent; nothing is done. */
export function guard(token: string, answerStale: Answer): readonly MiddlewareHandler[] {
  return [checkHost, secureHeaders(headers), notStored, checkPost(token, answerStale)];
}

type Answer = (c: Context, form: Readonly<Record<string, unknown>>) => Promise<Response>;

const checkHost: MiddlewareHandler = async (c, next) => {
  if (!ownHosts.test(c.req.header('host') ?? ''))
    return c.text('The console accepts requests to 127.0.0.1 and localhost only.\n', 421);
  return next();
};

/** Browsers send Origin with every POST; another site has neither this origin nor the token. */
const checkPost =
  (token: string, answerStale: Answer): MiddlewareHandler =>
  async (c, next) => {
    if (c.req.method === 'GET' || c.req.method === 'HEAD') return next();
    if (c.req.header('origin') !== `http://${c.req.header('host')}`)
      return c.text('Refused: this was not sent by a page of this console.\n', 403);
    const form = await c.req.parseBody().catch(() => undefined);
    if (!form) return c.text('Refused: the form cannot be read.\n', 400);
    const { token: given } = form;
    if (typeof given !== 'string' || !isSame(given, token)) return answerStale(c, form);
    return next();
  };

function isSame(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.length === other.length && timingSafeEqual(one, other);
}

const notStored: MiddlewareHandler = async (c, next) => {
  await next();
  c.header('Cache-Control', 'no-store');
};

/** Only the page's own style and script may run, and the page may connect only to its own origin. */
const headers = {
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    styleSrc: [hashOf(consoleStyle)],
    scriptSrc: [hashOf(consoleScript)],
    connectSrc: ["'self'"],
    imgSrc: ['data:'],
    baseUri: ["'none'"],
    formAction: ["'self'"],
    frameAncestors: ["'none'"],
  },
  crossOriginResourcePolicy: 'same-origin',
  // With `no-referrer`, browsers send "Origin: null" with a POST.
  referrerPolicy: 'same-origin' as const,
  xFrameOptions: 'DENY',
  // The console uses plain HTTP on loopback: HSTS for this host would break every other local server.
  strictTransportSecurity: false,
};

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
