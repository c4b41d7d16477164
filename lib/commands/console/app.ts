// The web application of the console: pages, server-sent events, actions, progress.json and healthz.
import { randomUUID } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { donePage, errorPage } from '../../view/console/actPage.ts';
import { type ConsolePage, renderDocument } from '../../view/console/page.ts';
import { failureSentences } from '../failure.ts';
import { actionPage, doAction, stalePage } from './act.ts';
import { type Address, parseAddress } from './address.ts';
import { readSituation, type Situation } from './frame.ts';
import { streamChanges } from './live.ts';
import { pageAt } from './pages.ts';
import { createToken, guard } from './security.ts';
import type { ConsoleSource } from './source.ts';

export function createConsoleApp(source: ConsoleSource): Hono {
  const app = new Hono();
  const token = createToken();
  const pageOf = async (situation: Situation, by: Parameters<typeof actionPage>[2]) =>
    by.address.path[0] === 'act' && by.address.path.length === 2
      ? actionPage(source, situation, by)
      : pageAt(source, situation, by.address);
  const show = async (c: Context, make: (situation: Situation) => Promise<ConsolePage | undefined>) => {
    const situation = await readSituation(source);
    const page = await make(situation).catch((error: unknown) =>
      errorPage('This failed', failureSentences(error), 409),
    );
    const shown = page ?? errorPage('Not found', ['This page does not exist, or its object was deleted.'], 404);
    return c.html(renderDocument(situation.frame, shown), shown.status ?? 200);
  };
  const answerStale = (c: Context, form: Readonly<Record<string, unknown>>) =>
    show(c, async () => stalePage(c.req.path.split('/').at(-1) ?? '', textsOf(form)));
  for (const one of guard(token, answerStale)) app.use(one);
  app.get('/', (c) => c.redirect(source.cluster ? '/fleet' : '/rules'));
  app.get('/live', (c) => {
    const address = parseAddress(c.req.query('of') ?? '/');
    if (!address) return c.text('There is no such page.\n', 404);
    // A form whose effect was not known when it was loaded is bound by the first patch with it, whose id the browser sends from then on.
    const said = c.req.header('last-event-id') || c.req.query('boundTo');
    const opened = { boundTo: said !== undefined && /^[\w-]+$/.test(said) ? said : undefined };
    const make = async (situation: Situation) => {
      const page = await pageOf(situation, { address, token, opened });
      opened.boundTo ??= page?.boundTo;
      return page;
    };
    return streamChanges(c, source, { address, make, boundTo: () => opened.boundTo });
  });
  const results = createResults();
  app.post('/act/:action', async (c) => {
    const { title, ...done } = await doAction(source, c.req.param('action'), textsOf(await c.req.parseBody()));
    // A page of its own, so that a reload does not do it again.
    return c.redirect(`/done/${results.keep(donePage(title, done))}`, 303);
  });
  app.get('/done/:id', (c) => show(c, async () => results.get(c.req.param('id'))));
  app.get('/progress.json', async (c) => {
    const read = await source.progress();
    if (read.kind === 'Read') return c.json(read.progress);
    return c.text(
      read.kind === 'Failed' ? unreadable(read.why) : `There is no state table. ${source.tableHint}\n`,
      503,
    );
  });
  app.get('/healthz', async (c) => {
    const read = await source.progress();
    return read.kind === 'Failed' ? c.text(unreadable(read.why), 503) : c.text(`ok ${source.name}\n`);
  });
  app.get('*', (c) => {
    const address = addressOf(c);
    return show(c, async (situation) => address && pageOf(situation, { address, token }));
  });
  return app;
}

/** Number of results of actions that are kept for reloads. */
const resultsKept = 50;

function createResults() {
  const pages = new Map<string, ConsolePage>();
  return {
    get: (id: string) => pages.get(id),
    keep(page: ConsolePage): string {
      const id = randomUUID();
      pages.set(id, page);
      for (const oldest of [...pages.keys()].slice(0, -resultsKept)) pages.delete(oldest);
      return id;
    },
  };
}

function addressOf(c: Context): Address | undefined {
  const { pathname, search } = new URL(c.req.url);
  return parseAddress(`${pathname}${search}`);
}

function unreadable(why: string): string {
  return `The state table cannot be read: ${why}. It is tried again every second.\n`;
}

/** Text fields of a form; uploaded files are ignored. */
function textsOf(form: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(form).flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])),
  );
}
