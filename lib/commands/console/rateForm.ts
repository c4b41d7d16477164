// The form of a rate, the rate that is typed in it, and how long pods take.
import { isRate } from '../../decide/writtenRate.ts';
import type { Preview } from '../../view/console/actPage.ts';
import { withinText } from '../../view/words.ts';
import type { Acting } from './acting.ts';

export function rateForm(
  title: string,
  by: {
    readonly fields: Acting['fields'];
    readonly written: number;
    readonly effect: readonly string[];
    readonly unknown: string | undefined;
  },
): Preview {
  const { fields, written, effect, unknown } = by;
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
