// The form of a rate, the rate that is typed in it, and how long pods take.
import { isRate } from '../../decide/writtenRate.ts';
import type { Preview } from '../../view/console/actPage.ts';
import { budgetTexts, withinText } from '../../view/words.ts';
import type { budgetUseOf } from '../cluster/planning.ts';
import type { Acting } from './acting.ts';

type BudgetUse = Awaited<ReturnType<typeof budgetUseOf>>;

export function rateForm(
  title: string,
  by: {
    readonly fields: Acting['fields'];
    readonly written: number;
    readonly effect: readonly string[];
    /** What the times leave out; absent while pods are not counted. */
    readonly use: BudgetUse | undefined;
    readonly unknown: string | undefined;
  },
): Preview {
  const { fields, written, use, unknown } = by;
  const effect = [...by.effect, ...(use ? budgetTexts(use).map(asSentence) : [])];
  const { rate, problem } = typedRate(fields);
  return {
    title,
    effect,
    fields: [
      {
        name: 'rate',
        label: 'Evictions a second',
        value: fields.rate ?? String(written),
        type: 'number',
        isRequired: true,
        ...(problem === undefined ? {} : { problem }),
      },
    ],
    button: 'Set the rate',
    ...(rate === undefined ? { isOpen: true } : {}),
    ...(unknown === undefined ? {} : { isUncounted: true }),
  };
}

function asSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** The rate that is typed, or why it cannot be used. */
export function typedRate({ rate: text }: Acting['fields']): { readonly rate?: number; readonly problem?: string } {
  if (!text) return {};
  if (isRate(text)) return { rate: Number(text) };
  return { problem: `"${text}" is not a rate: write a number from 0 to 10000 with at most four decimals.` };
}

/** How long the pods take at the rate that is typed, whatever holds them now; `takes` is absent for a rate that evicts none. */
export function typedText(rate: number, takes: number | undefined): string {
  return `At ${rate}/s: ${takes === undefined ? 'no pod is evicted' : withinText(takes)}.`;
}
