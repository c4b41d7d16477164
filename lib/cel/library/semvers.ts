// The Kubernetes semver library.
import { ofArgument } from '../costs.ts';
import { costing, type FunctionDeclaration, fn, global, type Implementation, member } from '../declare.ts';
import { int } from '../int.ts';
import { compareSemvers, parseNormalized, parseSemver, Semver } from '../semver.ts';
import { bool, intType, semver, string } from '../types.ts';
import { CelError, type Value } from '../values.ts';

const overload = new CelError('no such overload');
const unparsable = new CelError('the text is not a semantic version');

function fromText(found: (value: Semver | undefined) => Value): Implementation {
  return (_, value, normalize) => {
    if (typeof value !== 'string') return overload;
    return found(normalize === true ? parseNormalized(value) : parseSemver(value));
  };
}

function compared(holds: (order: number) => Value): Implementation {
  return (_, x, y) => (x instanceof Semver && y instanceof Semver ? holds(compareSemvers(x, y)) : overload);
}

/** Upstream's version numbers are unsigned and wrap around when converted to int. */
function part(of: (value: Semver) => bigint): Implementation {
  return (_, value) => (value instanceof Semver ? int(BigInt.asIntN(64, of(value))) : overload);
}

const parsed = fromText((value) => value ?? unparsable);
const valid = fromText((value) => value !== undefined);

export const semvers: readonly FunctionDeclaration[] = [
  costing(ofArgument(0), fn('semver', global('string_to_semver', [string, semver], parsed))),
  costing(ofArgument(0), fn('isSemver', global('is_semver_string', [string, bool], valid))),
  fn(
    'isGreaterThan',
    member(
      'semver_is_greater_than',
      [semver, semver, bool],
      compared((order) => order > 0),
    ),
  ),
  fn(
    'isLessThan',
    member(
      'semver_is_less_than',
      [semver, semver, bool],
      compared((order) => order < 0),
    ),
  ),
  fn(
    'compareTo',
    member(
      'semver_compare_to',
      [semver, semver, intType],
      compared((order) => order),
    ),
  ),
  fn(
    'major',
    member(
      'semver_major',
      [semver, intType],
      part((value) => value.major),
    ),
  ),
  fn(
    'minor',
    member(
      'semver_minor',
      [semver, intType],
      part((value) => value.minor),
    ),
  ),
  fn(
    'patch',
    member(
      'semver_patch',
      [semver, intType],
      part((value) => value.patch),
    ),
  ),
];

/** `semver(text, true)`, from Kubernetes 1.33. */
export const normalizedSemvers: readonly FunctionDeclaration[] = [
  fn('semver', global('string_bool_to_semver', [string, bool, semver], parsed)),
  fn('isSemver', global('is_semver_string_bool', [string, bool, bool], valid)),
];
