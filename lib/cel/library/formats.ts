// The Kubernetes format library: named formats and their validation.
import { sizeOf, traversal } from '../costs.ts';
import { type Cost, costing, type FunctionDeclaration, fn, global, type Implementation, member } from '../declare.ts';
import { NamedFormat, namedFormats } from '../namedFormat.ts';
import { listOf, namedFormat, optionalOf, string } from '../types.ts';
import { CelError, CelList, CelOptional, none } from '../values.ts';

const overload = new CelError('no such overload');

const cost: Cost = ([format, text]) => {
  if (!(format instanceof NamedFormat)) return 1;
  return traversal(1 + sizeOf(text ?? null)) * Math.ceil(format.regexSize * 0.25);
};

/** None if the text is valid, else its errors. */
const validate: Implementation = (meter, format, text) => {
  if (!(format instanceof NamedFormat) || typeof text !== 'string') return overload;
  meter.work(text.length);
  const problems = format.problems(text, meter.recall);
  return problems.length === 0 ? none : new CelOptional(new CelList(problems));
};

const named: Implementation = (_, name) => {
  if (typeof name !== 'string') return overload;
  const format = namedFormats.get(name);
  return format ? new CelOptional(format) : none;
};

export const formats: readonly FunctionDeclaration[] = [
  costing(cost, fn('validate', member('format-validate', [namedFormat, string, optionalOf(listOf(string))], validate))),
  fn('format.named', global('format-named', [string, optionalOf(namedFormat)], named)),
  ...Array.from(namedFormats, ([name, format]) => {
    const qualified = `format.${name}`;
    return fn(
      qualified,
      global(qualified, [namedFormat], () => format),
    );
  }),
];
