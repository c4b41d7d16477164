// Why page: why a pod was evicted, is pending or is kept, or what a rule or device evicts; same text as `sluice why`.
import { type Markup, markup } from '../markup.ts';
import { countText } from '../words.ts';
import type { ConsolePage } from './page.ts';
import { podLink, renderFilters, renderFold, ruleName, whyHref } from './parts.ts';

export const whyKinds = ['pod', 'rule', 'device', 'taint'] as const;
export type WhyKind = (typeof whyKinds)[number];

/** Answer from one source: the live cluster or the eviction records. */
export interface Answer {
  readonly from: string;
  /** Sentences; a line that begins with two spaces belongs to the previous one. */
  readonly lines: readonly string[];
}

/** Suggested subjects. */
export interface Suggestions {
  readonly pods: readonly { readonly namespace: string; readonly name: string }[];
  /** `PacedTaintRule/a`. */
  readonly rules: readonly string[];
}

const suggested = 12;

/** Without a name: the form and suggestions. */
export function whyPage(
  of: { readonly kind: WhyKind; readonly name: string },
  answers: readonly Answer[],
  { pods, rules }: Suggestions = { pods: [], rules: [] },
): ConsolePage {
  const form = renderFilters('/why', [
    { name: 'kind', label: 'What', value: of.kind, choices: whyKinds },
    {
      name: 'name',
      label: 'Name: NAMESPACE/POD, KIND/RULE, DRIVER/POOL/DEVICE or DRIVER/KEY=VALUE:EFFECT',
      value: of.name,
    },
  ]);
  return {
    title: of.name === '' ? 'Why' : `Why: ${of.kind} ${of.name}`,
    tab: 'why',
    regions: [
      { id: 'form', html: form },
      ...suggestionsRegion('pods', 'Pods that were evicted last', pods.slice(0, suggested).map(podLink)),
      ...suggestionsRegion(
        'rules',
        'Rules',
        rules.slice(0, suggested).map((ref) => markup`<a href="${whyHref('rule', ref)}">${ruleName(ref)}</a>`),
      ),
      ...answers.map((one, i) => ({ id: `answer-${i}`, html: renderAnswer(one, i) })),
    ],
  };
}

function suggestionsRegion(id: string, title: string, links: readonly Markup[]): ConsolePage['regions'] {
  if (links.length === 0) return [];
  const html = markup`<section class="panel" aria-label="${title}"><h2>${title}</h2><ul class="links">${links.map((one) => markup`<li>${one}</li>`)}</ul></section>`;
  return [{ id, html }];
}

/** A line that begins with two spaces belongs to the sentence before it. */
function paragraphsOf(lines: readonly string[]): readonly Paragraph[] {
  const paragraphs: { first: string; rest: string[] }[] = [];
  for (const line of lines) {
    const last = paragraphs.at(-1);
    if (last && line.startsWith('  ')) last.rest.push(line.trim());
    else paragraphs.push({ first: line.trim(), rest: [] });
  }
  return paragraphs;
}

interface Paragraph {
  readonly first: string;
  readonly rest: readonly string[];
}

/** Paragraphs of one answer with all of their reasons; of more, only the first of the page has its reasons open. */
const openTogether = 2;
/** Reasons of an open paragraph before the others are folded. */
const reasonsShown = 8;

function renderAnswer({ from, lines }: Answer, index: number): Markup {
  const id = `answer-${index}`;
  const paragraphs = paragraphsOf(lines);
  const isFolded = paragraphs.length > openTogether;
  const items = paragraphs.map((one, i) =>
    isFolded && index + i > 0 && one.rest.length > 0 ? renderClosed(one, id) : renderOpen(one, `${id}-${i}`),
  );
  const fold = { id: `all-${id}`, shown: 1, count: items.length, what: `all ${items.length}` } as const;
  return markup`<section class="panel" aria-label="${from}"><h2>${from}</h2>${renderFold(fold, markup`<div class="paragraphs">${items}</div>`)}</section>`;
}

function renderOpen({ first, rest }: Paragraph, id: string): Markup {
  const [shown, folded] = [rest.slice(0, reasonsShown), rest.slice(reasonsShown)];
  return markup`<div><p class="answer">${first}</p>${renderReasons(shown)}${folded.length > 0 && markup`<details id="${id}"><summary>${countText(folded.length, 'more line')}</summary>${renderReasons(folded)}</details>`}</div>`;
}

/** Named by its pod, so that it stays open when its outcome changes. */
function renderClosed({ first, rest }: Paragraph, answer: string): Markup {
  const [subject = first] = first.split(': ');
  return markup`<details id="${answer}-${encodeURIComponent(subject)}"><summary class="answer">${first}</summary>${renderReasons(rest)}</details>`;
}

function renderReasons(reasons: readonly string[]): Markup | undefined {
  if (reasons.length === 0) return undefined;
  return markup`<ul class="reasons">${reasons.map((one) => markup`<li><span>${one}</span></li>`)}</ul>`;
}
