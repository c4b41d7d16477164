// Arithmetic by the run-time types of the operands: exact ints, doubles, texts, bytes, lists, times.
import type { Implementation } from '../declare.ts';
import {
  addInt,
  checkedUint,
  divideInt,
  divisionByZero,
  moduloInt,
  modulusByZero,
  multiplyInt,
  negateInt,
  subtractInt,
} from '../int.ts';
import { concatenated } from '../list.ts';
import type { Meter } from '../meter.ts';
import { addDurations, between, Duration, shifted, shiftedBack, subtractDurations, Timestamp } from '../time.ts';
import {
  CelBytes,
  CelDouble,
  CelError,
  CelList,
  CelUint,
  type Int,
  isInt,
  noSuchOverload,
  type Value,
} from '../values.ts';

interface Arithmetic {
  readonly name: string;
  readonly ints: (x: Int, y: Int) => Value;
  readonly uints?: (x: bigint, y: bigint) => Value;
  readonly doubles?: (x: number, y: number) => number;
  readonly others?: (meter: Meter, x: Value, y: Value) => Value | undefined;
}

function arithmetic({ name, ints, uints, doubles, others }: Arithmetic): Implementation {
  return (meter, x, y) => {
    if (isInt(x)) return isInt(y) ? ints(x, y) : noSuchOverload(name, x, y);
    if (x instanceof CelDouble && doubles && y instanceof CelDouble) return new CelDouble(doubles(x.value, y.value));
    if (x instanceof CelUint && uints && y instanceof CelUint) return uints(x.value, y.value);
    return others?.(meter, x, y) ?? noSuchOverload(name, x, y);
  };
}

function plus(meter: Meter, x: Value, y: Value): Value | undefined {
  if (typeof x === 'string' && typeof y === 'string') {
    meter.work((x.length + y.length) / 8);
    return x + y;
  }
  if (x instanceof CelList && y instanceof CelList) return concatenated(meter, x, y);
  if (x instanceof CelBytes && y instanceof CelBytes) {
    meter.work(x.data.length + y.data.length);
    return new CelBytes(Uint8Array.from([...x.data, ...y.data]));
  }
  if (x instanceof Duration && y instanceof Duration) return addDurations(x, y);
  if (x instanceof Duration && y instanceof Timestamp) return shifted(y, x);
  return x instanceof Timestamp && y instanceof Duration ? shifted(x, y) : undefined;
}

function minus(_: Meter, x: Value, y: Value): Value | undefined {
  if (x instanceof Duration && y instanceof Duration) return subtractDurations(x, y);
  if (x instanceof Timestamp && y instanceof Duration) return shiftedBack(x, y);
  return x instanceof Timestamp && y instanceof Timestamp ? between(x, y) : undefined;
}

export function negate(_: Meter, x: Value): Value {
  if (isInt(x)) return negateInt(x);
  if (x instanceof CelDouble) return new CelDouble(-x.value);
  if (!(x instanceof Duration)) return noSuchOverload('-_', x);
  const nanos = negateInt(x.nanos);
  return nanos instanceof CelError ? nanos : new Duration(nanos);
}

export const addition = arithmetic({
  name: '_+_',
  ints: addInt,
  uints: (x, y) => checkedUint(x + y),
  doubles: (x, y) => x + y,
  others: plus,
});
export const subtraction = arithmetic({
  name: '_-_',
  ints: subtractInt,
  uints: (x, y) => checkedUint(x - y),
  doubles: (x, y) => x - y,
  others: minus,
});
export const multiplication = arithmetic({
  name: '_*_',
  ints: multiplyInt,
  uints: (x, y) => checkedUint(x * y),
  doubles: (x, y) => x * y,
});
export const division = arithmetic({
  name: '_/_',
  ints: divideInt,
  uints: (x, y) => (y === 0n ? divisionByZero : new CelUint(x / y)),
  doubles: (x, y) => x / y,
});
export const modulo = arithmetic({
  name: '_%_',
  ints: moduloInt,
  uints: (x, y) => (y === 0n ? modulusByZero : new CelUint(x % y)),
});
