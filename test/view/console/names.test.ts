// No name of an object in the cluster changes the markup of a console page.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { actPage, donePage, errorPage } from '../../../lib/view/console/actPage.ts';
import type { FleetDevice } from '../../../lib/view/console/fleet.ts';
import { fleetPage } from '../../../lib/view/console/fleetPage.ts';
import { createGroupReader } from '../../../lib/view/console/groups.ts';
import { type ConsolePage, type Frame, renderDocument } from '../../../lib/view/console/page.ts';
import { planPage } from '../../../lib/view/console/planPage.ts';
import { rulesPage } from '../../../lib/view/console/rulesPage.ts';
import { noTimelinePage, timelinePage } from '../../../lib/view/console/timelinePage.ts';
import { whyPage } from '../../../lib/view/console/whyPage.ts';
import { aLimiter, anEviction, aPicture, aPlan, at } from '../pictures.ts';

const may = () => true;

function fleetOf(text: string, query: { readonly in?: string } = {}): ConsolePage {
  const device: FleetDevice = {
    driver: text,
    pool: text,
    device: text,
    state: 'Evicting',
    node: text,
    team: text,
    className: text,
  };
  return fleetPage(
    createGroupReader()([[device]], 'node'),
    { by: 'node', search: '', page: 1, ...query },
    { may, made: new Set() },
  );
}

function rulesOf(text: string): ConsolePage {
  const limiter = aLimiter({ name: text, taint: text, selector: text, heldBecause: text });
  const done = aLimiter({ name: text, state: 'Completed' });
  const last = [anEviction({ source: text, node: text, taint: text, device: text })];
  const progress = aPicture({ limiters: [limiter, done], last, plans: [aPlan({ rule: text })], refused: [text] });
  const row = { ref: text, taint: text, devices: text, state: text, message: text, pauses: [text] };
  const rules = [{ ...row, waitsForApproval: true, limiters: [limiter.limiter] }];
  return rulesPage({ progress, rules, slices: [], may, isRead: true }, { search: '', page: 1 });
}

function planOf(text: string): ConsolePage {
  const { summary, first } = aPlan();
  const pods = first.map((one) => ({
    ...one,
    pod: { namespace: text, name: text, uid: 'u' },
    node: text,
    owner: { kind: text, name: text },
    headroom: { kind: 'Budget' as const, name: text, allowed: 1 },
    claims: [{ name: text, devices: [{ driver: text, pool: text, device: text }] }],
  }));
  return planPage({ ref: text, taints: [text], summary, pods }, { search: '', page: 1 });
}

function timelineOf(text: string): ConsolePage {
  const pod = { namespace: text, name: text, uid: 'u' };
  const evictions = [anEviction({ pod, source: text, node: text, taint: text, device: text })];
  const query = { rule: '', node: '', team: '', page: 1, from: '', until: '' };
  return timelinePage({ evictions, since: at - 60_000, until: at + 60_000, now: at }, query);
}

function actOf(text: string): ConsolePage {
  const field = { name: 'taint', label: text, value: text };
  const preview = { title: text, effect: [text, text], fields: [field], seen: { digest: text }, button: text };
  return actPage({ action: 'taint', kind: 'device', name: text, pause: text }, preview, {
    token: 'token',
    boundTo: 'bound',
  });
}

const pages: Readonly<Record<string, (text: string) => ConsolePage>> = {
  fleet: fleetOf,
  group: (text) => fleetOf(text, { in: text }),
  rules: rulesOf,
  plan: planOf,
  timeline: timelineOf,
  'timeline without a table': noTimelinePage,
  why: (text) => whyPage({ kind: 'pod', name: text }, [{ from: text, lines: [text] }]),
  act: actOf,
  done: (text) => donePage(text, { isDone: true, lines: [text] }),
  error: (text) => errorPage(text, [text]),
};

function frameOf(text: string): Frame {
  const end = { label: text, href: `/act/resume?name=${encodeURIComponent(text)}` };
  const notices = [{ kind: 'Paused' as const, what: text, why: text, by: text, since: text, end }];
  return { cluster: text, at, health: { isGood: true, text }, notices, missing: [text] };
}

/** Tags with the names of their attributes, without texts, style and script. */
function skeleton(html: string): string {
  const body = html.replace(/<(style|script)>.*?<\/\1>/gs, '');
  return [...body.matchAll(/<[^>]*>/g)].map(([tag]) => tag.replace(/"[^"]*"/g, '""')).join('');
}

const breaking = ['<', '>', '"', "'", '&', '<img src=x onerror=alert(1)>', '"><script>', '</title>', '&lt;', '\u0000'];
// Not generated: spaces and line breaks have a meaning in sentences and tables, and an empty name omits its part of the page.
const hostile = fc
  .array(fc.oneof(fc.constantFrom(...breaking), fc.string({ minLength: 1 })), { minLength: 1 })
  .map((parts) => `x${parts.join('').replaceAll(/ +/g, ' ')}`);

it.each(Object.entries(pages))('no name changes the structure of the page %s', (_, page) => {
  const plain = skeleton(renderDocument(frameOf('x'), page('x')));
  fc.assert(
    fc.property(hostile, (text) => {
      const made = renderDocument(frameOf(text), page(text));
      expect(skeleton(made)).toBe(plain);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not reach a browser
      expect(made).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/);
    }),
  );
});
