// Decides a request by a policy document as IAM does: an explicit deny wins, then any allow, else deny. Covers what our policies use.
import { asList, dig } from './installation.ts';

export interface IamRequest {
  readonly action: string;
  /** Values of a condition key; a key that the request does not have is absent. */
  readonly context: Readonly<Record<string, readonly string[]>>;
}

/** Statements about one resource; the caller has picked those. Throws for an element that it does not know. */
export function decide(statements: readonly unknown[], request: IamRequest): 'Allow' | 'Deny' {
  const applying = statements.filter((statement) => isAbout(statement, request));
  if (applying.some((statement) => dig(statement, 'Effect') === 'Deny')) return 'Deny';
  return applying.some((statement) => dig(statement, 'Effect') === 'Allow') ? 'Allow' : 'Deny';
}

function isAbout(statement: unknown, { action, context }: IamRequest): boolean {
  for (const member of Object.keys(statement as object))
    if (!['Effect', 'Action', 'Resource', 'Condition', 'Sid'].includes(member)) throw new Error(`unknown: ${member}`);
  const actions = asList(dig(statement, 'Action')) as readonly string[];
  if (!actions.some((pattern) => isLike(action, pattern))) return false;
  const conditions = (dig(statement, 'Condition') ?? {}) as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  return Object.entries(conditions).every(([operator, keys]) =>
    Object.entries(keys).every(([key, wanted]) => holds(operator, asList(wanted).map(String), context[key])),
  );
}

/** A condition without the key holds for ForAllValues and for no other operator. */
function holds(operator: string, wanted: readonly string[], values: readonly string[] | undefined): boolean {
  const [quantifier, test] = operator.includes(':') ? operator.split(':') : ['', operator];
  if (test === 'Null') return wanted.every((want) => (want === 'true') === (values === undefined));
  const matches = (value: string) => wanted.some((want) => compare(test, value, want));
  switch (quantifier) {
    case 'ForAllValues':
      return (values ?? []).every(matches);
    case 'ForAnyValue':
      return (values ?? []).some(matches);
    default:
      throw new Error(`unknown: ${operator}`);
  }
}

function compare(test: string | undefined, value: string, wanted: string): boolean {
  if (test === 'StringEquals') return value === wanted;
  if (test === 'StringLike') return isLike(value, wanted);
  throw new Error(`unknown: ${test}`);
}

/** `*` any characters, `?` one. */
function isLike(value: string, pattern: string): boolean {
  const parts = pattern
    .split(/([*?])/)
    .map((part) => (part === '*' ? '.*' : part === '?' ? '.' : part.replace(/[^\w]/g, '\\$&')));
  return new RegExp(`^${parts.join('')}$`, 's').test(value);
}
