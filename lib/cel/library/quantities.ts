// The Kubernetes quantity library.
import { ofArgument } from '../costs.ts';
import { costing, type FunctionDeclaration, fn, global, type Implementation, member } from '../declare.ts';
import { add, asDouble, asInteger, compareQuantities, Quantity, sign, subtract } from '../quantity.ts';
import { parseQuantity } from '../quantityText.ts';
import { bool, double, intType, quantity, string } from '../types.ts';
import { CelDouble, CelError, isInt, type Value } from '../values.ts';

const overload = new CelError('no such overload');
const unparsable = new CelError(
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
);

function of(run: (value: Quantity) => Value): Implementation {
  return (_, value) => (value instanceof Quantity ? run(value) : overload);
}

function compared(holds: (order: number) => Value): Implementation {
  return (_, x, y) => (x instanceof Quantity && y instanceof Quantity ? holds(compareQuantities(x, y)) : overload);
}

function sum(direction: 1 | -1): Implementation {
  return (_, x, y) => {
    const other = isInt(y) ? { unscaled: BigInt(y), scale: 0, big: false } : y instanceof Quantity ? y : undefined;
    if (!(x instanceof Quantity) || !other) return overload;
    return direction === 1 ? add(x, other) : subtract(x, other);
  };
}

const fromText = (found: (value: Quantity | undefined) => Value): Implementation => {
  return (_, value) => (typeof value === 'string' ? found(parseQuantity(value)) : overload);
};

export const quantities: readonly FunctionDeclaration[] = [
  costing(
    ofArgument(0),
    fn(
      'quantity',
      global(
        'string_to_quantity',
        [string, quantity],
        fromText((value) => value ?? unparsable),
      ),
    ),
  ),
  costing(
    ofArgument(0),
    fn(
      'isQuantity',
      global(
        'is_quantity_string',
        [string, bool],
        fromText((value) => value !== undefined),
      ),
    ),
  ),
  fn('sign', global('quantity_sign', [quantity, intType], of(sign))),
  fn(
    'isGreaterThan',
    member(
      'quantity_is_greater_than',
      [quantity, quantity, bool],
      compared((order) => order > 0),
    ),
  ),
  fn(
    'isLessThan',
    member(
      'quantity_is_less_than',
      [quantity, quantity, bool],
      compared((order) => order < 0),
    ),
  ),
  fn(
    'compareTo',
    member(
      'quantity_compare_to',
      [quantity, quantity, intType],
      compared((order) => order),
    ),
  ),
  fn(
    'asApproximateFloat',
    member(
      'quantity_get_float',
      [quantity, double],
      of((value) => new CelDouble(asDouble(value))),
    ),
  ),
  fn(
    'asInteger',
    member(
      'quantity_get_int',
      [quantity, intType],
      of((value) => asInteger(value) ?? new CelError('cannot convert value to integer')),
    ),
  ),
  fn(
    'isInteger',
    member(
      'quantity_is_integer',
      [quantity, bool],
      of((value) => asInteger(value) !== undefined),
    ),
  ),
  fn(
    'add',
    member('quantity_add', [quantity, quantity, quantity], sum(1)),
    member('quantity_add_int', [quantity, intType, quantity], sum(1)),
  ),
  fn(
    'sub',
    member('quantity_sub', [quantity, quantity, quantity], sum(-1)),
    member('quantity_sub_int', [quantity, intType, quantity], sum(-1)),
  ),
];
