// Lists. They are immutable in the language; concatenation may extend a shared array that only it has filled.
import type { Meter } from './meter.ts';
import { CelList, type Value } from './values.ts';

/** A list made by `+`: its array has spare room, so that folding n items takes n steps, not n squared. */
class GrownList extends CelList {
  readonly growing: Value[];

  constructor(growing: Value[]) {
    super(growing, growing.length);
    this.growing = growing;
  }
}

export const emptyList = new CelList([]);

export function concatenated(meter: Meter, left: CelList, right: CelList): CelList {
  if (right.size === 0) return left;
  const grows = left instanceof GrownList && left.growing.length === left.size;
  meter.work(right.size + (grows ? 0 : left.size));
  const items = grows ? left.growing : left.items.slice(0, left.size);
  for (let index = 0; index < right.size; index++) items.push(right.at(index));
  return new GrownList(items);
}
