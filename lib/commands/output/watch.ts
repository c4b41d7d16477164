// Prints a list and then changed rows until aborted; polls, so that a missed change shows up at the next poll.
import type { Call } from '../definition.ts';
import { type Format, type Found, keyOf, printFound } from './print.ts';

const interval = 2000;

export async function watchFound<T>(call: Call, format: Format, find: () => Promise<Found<T>>): Promise<void> {
  let shown = new Map<string, string>();
  let isFirst = true;
  while (!call.io.signal.aborted) {
    const found = await find();
    const rows = new Map(found.items.map((item) => [keyOf(found, item), textOf(found, item)]));
    const items = found.items.filter((item) => shown.get(keyOf(found, item)) !== rows.get(keyOf(found, item)));
    if (isFirst || items.length > 0)
      await printFound(
        call,
        { ...found, items, isSingle: isFirst ? found.isSingle === true : items.length === 1 },
        format,
        isFirst,
      );
    [shown, isFirst] = [rows, false];
    await call.io.sleep(interval);
  }
}

/** Ignores AGE, which changes all the time. */
function textOf<T>({ columns }: Found<T>, item: T): string {
  return columns
    .filter(({ name }) => name !== 'AGE')
    .map(({ of }) => of(item))
    .join('\u0000');
}
