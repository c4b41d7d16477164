// Replace, split and join of cel-go's strings extension.
import type { Meter } from '../meter.ts';
import { CelError, CelList, type Int, type Value } from '../values.ts';

const text = (value: Value) => value as string;
const count = (value: Value) => Number(value as Int);

/** At most `limit` replacements, all for a negative limit; an empty part matches before every code point and at the end. */
export function replace(meter: Meter, subject: Value, part: Value, by: Value | undefined, limit?: Value): Value {
  const most = limit === undefined || count(limit) < 0 ? Number.POSITIVE_INFINITY : count(limit);
  const inserted = text(by ?? '');
  if (part === '') return joinPieces(meter, spread(text(subject), inserted, most));
  const pieces = text(subject).split(text(part));
  const cuts = Math.min(most, pieces.length - 1);
  meter.work((text(subject).length + cuts * inserted.length) / 4);
  const head = pieces.slice(0, cuts + 1).join(inserted);
  const tail = pieces.slice(cuts + 1);
  return tail.length === 0 ? head : [head, ...tail].join(text(part));
}

function spread(subject: string, by: string, most: number): readonly string[] {
  const points = Array.from(subject);
  const pieces = points.map((point, index) => (index < most ? by : '') + point);
  return points.length < most ? [...pieces, by] : pieces;
}

function joinPieces(meter: Meter, pieces: readonly string[], separator = ''): string {
  const length = pieces.reduce((sum, piece) => sum + piece.length + separator.length, 0);
  meter.work(pieces.length + length / 4);
  return pieces.join(separator);
}

/** An empty separator splits into code points; the last of `limit` parts keeps the rest. */
export function split(meter: Meter, subject: Value, separator: Value, limit?: Value): Value {
  const most = limit === undefined ? -1 : count(limit);
  if (most === 0) return new CelList([]);
  const pieces = separator === '' ? Array.from(text(subject)) : text(subject).split(text(separator));
  meter.work(pieces.length);
  if (most < 0 || pieces.length <= most) return new CelList(pieces);
  return new CelList([...pieces.slice(0, most - 1), pieces.slice(most - 1).join(text(separator))]);
}

export function join(meter: Meter, list: Value, separator?: Value): Value {
  const pieces: string[] = [];
  for (const item of list as CelList) {
    if (typeof item !== 'string') return new CelError('join: invalid input');
    pieces.push(item);
  }
  return joinPieces(meter, pieces, separator === undefined ? '' : text(separator));
}
