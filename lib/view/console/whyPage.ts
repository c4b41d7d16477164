// Why page: why a pod was evicted, is pending or is kept, or what a rule or device evicts; same text as `sluice why`.
import { type Markup, markup } from '../markup.ts';
import type { ConsolePage } from './page.ts';
import { podLink, renderFilters, ruleName, whyHref } from './parts.ts';

export const whyKinds = ['pod', 'rule', 'device'] as const;
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
    { name: 'name', label: 'Name: NAMESPACE/POD, KIND/RULE or DRIVER/POOL/DEVICE', value: of.name },
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
      ...answers.map(({ from, lines }, i) => ({
        id: `answer-${i}`,
        html: markup`<section class="panel" aria-label="${from}"><h2>${from}</h2>${paragraphs(lines)}</section>`,
      })),
    ],
  };
}

function suggestionsRegion(id: string, title: string, links: readonly Markup[]): ConsolePage['regions'] {
  if (links.length === 0) return [];
  const html = markup`<section class="panel" aria-label="${title}"><h2>${title}</h2><ul class="links">${links.map((one) => markup`<li>${one}</li>`)}</ul></section>`;
  return [{ id, html }];
}

export function paragraphs(lines: readonly string[]): readonly Markup[] {
  const groups: string[][] = [];
  for (const line of lines) {
    if (!line.startsWith('  ') || groups.length === 0) groups.push([]);
    groups.at(-1)?.push(line.trim());
  }
  return groups.map(
    ([first = '', ...rest]) =>
      markup`<p class="answer">${first}</p>${rest.length > 0 && markup`<ul class="reasons">${rest.map((one) => markup`<li>${one}</li>`)}</ul>`}`,
  );
}
