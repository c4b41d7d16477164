// The console over a simulated cluster, requested as a browser would; it uses the real clock because it watches.
import { request } from 'node:http';
import { openCluster } from '../../../lib/commands/cluster/open.ts';
import type { Patch } from '../../../lib/commands/console/live.ts';
import type { ConsoleServer } from '../../../lib/commands/console/server.ts';
import { startConsole } from '../../../lib/commands/console/server.ts';
import type { TableSource } from '../../../lib/commands/console/source.ts';
import type { Io } from '../../../lib/commands/io.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface Sent {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly form?: Readonly<Record<string, string>>;
  /** The body as it is, if no form is sent. */
  readonly text?: string;
}

/** Sends a request with any Host and Origin, which fetch does not allow. */
export function ask(url: string, { method = 'GET', headers = {}, form, text: given }: Sent = {}): Promise<Answer> {
  const body = form ? new URLSearchParams(form).toString() : given;
  const type = form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers: { ...type, ...headers } }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => {
        text += chunk;
      });
      answer.on('end', () => {
        const { statusCode: status = 0, headers: received } = answer;
        // The result of an action has a page of its own.
        if (status === 303) resolve(ask(new URL(received.location ?? '', url).href, { headers }));
        else resolve({ status, headers: received, body: text });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** What a reader of the page sees. */
export function textOf(html: string): string {
  return html
    .replace(/<(style|script)>.*?<\/\1>/gs, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ');
}

/** The patches of a page as a browser receives them, up to the first one that `isLast` accepts. */
export function listen(
  url: string,
  isLast: (patch: Heard) => boolean,
  headers: Readonly<Record<string, string>> = {},
): Promise<readonly Heard[]> {
  const heard: Heard[] = [];
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (part: string) => {
        const events = `${text}${part}`.split('\n\n');
        text = events.pop() ?? '';
        heard.push(...events.flatMap(patchIn));
        if (!heard.some(isLast)) return;
        sent.destroy();
        resolve(heard);
      });
      answer.on('end', () => reject(new Error(`the stream ended after ${heard.length} changes`)));
    });
    sent.on('error', reject);
    sent.end();
  });
}

/** A patch with the id of its event. */
type Heard = Patch & { readonly id?: string };

function patchIn(event: string): readonly Heard[] {
  const [, data] = /^event: patch\ndata: (.*)$/m.exec(event) ?? [];
  const [, id] = /^id: (.*)$/m.exec(event) ?? [];
  return data === undefined ? [] : [{ ...JSON.parse(data), ...(id === undefined ? {} : { id }) }];
}

export function consoleIo(env: Readonly<Record<string, string>> = {}): Io {
  return {
    out: { write: () => undefined },
    err: { write: () => undefined },
    input: { async *[Symbol.asyncIterator]() {} },
    env,
    now: Date.now,
    sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
    signal: new AbortController().signal,
  };
}

export interface ServedScene extends ConsoleServer {
  /** Requests a page until it shows the text; the console starts to watch the cluster with the first page. */
  shows(path: string, text: string | RegExp): Promise<string>;
}

/** Without a kubeconfig the console reads only the table. */
export async function serveConsole(by: {
  readonly kubeconfig?: string;
  readonly table?: TableSource;
  readonly name?: string;
  readonly port?: number;
}): Promise<ServedScene> {
  const io = consoleIo({ USER: 'ada' });
  const { kubeconfig, table, name = 'prod', port = 0 } = by;
  const cluster = kubeconfig === undefined ? undefined : await openCluster({ flags: { kubeconfig }, io });
  const tableHint = 'Name a table.';
  const server = await startConsole({
    name,
    ...(cluster ? { cluster } : {}),
    ...(table ? { table } : {}),
    tableHint,
    io,
    port,
  });
  return {
    ...server,
    async shows(path, text) {
      const until = Date.now() + 10_000;
      for (;;) {
        const { body } = await ask(`${server.url.slice(0, -1)}${path}`);
        if (typeof text === 'string' ? body.includes(text) : text.test(body)) return body;
        if (Date.now() > until)
          throw new Error(`${path} does not show ${text}:\n${body.replace(/<style>.*<\/style>/s, '')}`);
        await io.sleep(100);
      }
    },
    async stop() {
      await server.stop();
      cluster?.client.close();
    },
  };
}
