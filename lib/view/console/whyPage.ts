// The page Why: why a pod was evicted, waits or stays, or what a rule or a device evicts, as `sluice why` says it.
import { type Markup, markup } from '../markup.ts';
import type { ConsolePage } from './page.ts';
import { renderFilters } from './parts.ts';

export const whyKinds = ['pod', 'rule', 'device'] as const;
export type WhyKind = (typeof whyKinds)[number];

/** An answer of one source: the live cluster, or the records. */
export interface Answer {
  readonly from: string;
  /** Sentences; what begins with two blanks belongs to the one before. */
  readonly lines: readonly string[];
}

/** Without a name: the form alone. */
export function whyPage(
  of: { readonly kind: WhyKind; readonly name: string },
  answers: readonly Answer[],
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
      ...answers.map(({ from, lines }, i) => ({
        id: `answer-${i}`,
        html: markup`<section class="panel" aria-label="${from}"><h2>${from}</h2>${paragraphs(lines)}</section>`,
      })),
    ],
  };
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
