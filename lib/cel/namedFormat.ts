// Named formats of the Kubernetes format library: what each one accepts, and its error messages.
import type { Recall } from '../model/recall.ts';
import { dayNumber } from './calendar.ts';
import { compiledPattern } from './pattern.ts';
import { isUrl } from './url.ts';
import { CelError, Opaque, type Value } from './values.ts';

/** `recall`: cache of compiled patterns. */
type Problems = (text: string, recall: Recall) => readonly string[];

export class NamedFormat extends Opaque {
  override readonly kind = 'kubernetes.NamedFormat';
  readonly name: string;
  /** Length of the regular expression that upstream charges for. */
  readonly regexSize: number;
  /** The errors of a text; empty if it is valid. */
  readonly problems: Problems;

  constructor(name: string, regexSize: number, problems: Problems) {
    super();
    this.name = name;
    this.regexSize = regexSize;
    this.problems = problems;
  }

  override equals(other: Value): boolean | CelError {
    return other instanceof NamedFormat ? other.name === this.name : new CelError('no such overload');
  }
}

const encoder = new TextEncoder();
const length = (text: string) => encoder.encode(text).length;

interface Rule {
  readonly pattern: string;
  readonly complaint: string;
  readonly max: number;
  readonly examples: readonly string[];
}

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const key = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const edges = 'and must start and end with an alphanumeric character';
const dnsLabel: Rule = {
  pattern: label,
  complaint: `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', ${edges}`,
  max: 63,
  examples: ['my-name', '123-abc'],
};
const dnsSubdomain: Rule = {
  pattern: `${label}(\\.${label})*`,
  complaint: `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', ${edges}`,
  max: 253,
  examples: ['example.com'],
};
const dns1035: Rule = {
  pattern: '[a-z]([-a-z0-9]*[a-z0-9])?',
  complaint:
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  max: 63,
  examples: ['my-name', 'abc-123'],
};
const labelValue: Rule = {
  pattern: `(${key})?`,
  complaint: `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', ${edges}`,
  max: 63,
  examples: ['MyValue', 'my_value', '12345'],
};
const labelName: Rule = {
  pattern: key,
  complaint: `must consist of alphanumeric characters, '-', '_' or '.', ${edges}`,
  max: 63,
  examples: ['MyName', 'my.name', '123-abc'],
};

function described({ pattern, complaint, examples }: Rule): string {
  return `${complaint} (e.g. ${examples.map((text) => `'${text}', `).join(' or ')}regex used for validation is '${pattern}')`;
}

function matches(rule: Rule, text: string, recall: Recall): boolean {
  const pattern = compiledPattern(`^(?:${rule.pattern})$`, recall);
  return !(pattern instanceof CelError) && pattern.found(text);
}

function complaints(rule: Rule, text: string, recall: Recall): readonly string[] {
  const tooLong = length(text) > rule.max ? [`must be no more than ${rule.max} characters`] : [];
  return matches(rule, text, recall) ? tooLong : [...tooLong, described(rule)];
}

function dnsLabelProblems(text: string, recall: Recall): readonly string[] {
  const found = complaints(dnsLabel, text, recall);
  if (!found.includes(described(dnsLabel)) || !matches(dnsSubdomain, text, recall)) return found;
  return [...found.slice(0, -1), 'must not contain dots'];
}

/** A generated name continues after the prefix, so the prefix may end with a dash. */
function prefix(problems: Problems): Problems {
  return (text, recall) => problems(text.length > 1 && text.endsWith('-') ? `${text.slice(0, -2)}a` : text, recall);
}

function qualifiedName(text: string, recall: Recall): readonly string[] {
  const parts = text.split('/');
  if (parts.length > 2) {
    return [
      `a valid label key ${described(labelName)} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const name = parts.at(-1) ?? '';
  const before = parts.length === 2 ? (parts[0] ?? '') : undefined;
  const prefixProblems =
    before === '' ? ['must be non-empty'] : before === undefined ? [] : complaints(dnsSubdomain, before, recall);
  const nameProblems = [...(name === '' ? ['must be non-empty'] : []), ...complaints(labelName, name, recall)];
  return [...prefixProblems.map((p) => `prefix part ${p}`), ...nameProblems.map((p) => `name part ${p}`)];
}

function isDate(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
  return dayNumber(Number(year), Number(month), Number(day)) !== undefined && year !== undefined;
}

function isDateTime(text: string): boolean {
  const [date = '', time] = text.toLowerCase().split('t');
  const found = /^(\d{2}):(\d{2}):(\d{2})(?:.\d+)?(?:z|[+-]\d{2}:\d{2})$/u.exec(time ?? '');
  return found !== null && isDate(date) && Number(found[1]) < 24 && Number(found[2]) < 60 && Number(found[3]) < 60;
}

const uuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/;
const simply = (test: (text: string) => boolean, complaint: string) => (text: string) =>
  test(text) ? [] : [complaint];
const problemsBy =
  (rule: Rule): Problems =>
  (text, recall) =>
    complaints(rule, text, recall);
const subdomainProblems = problemsBy(dnsSubdomain);
const dns1035Problems = problemsBy(dns1035);

/** By the name of the function in `format.<name>()`. */
export const namedFormats: ReadonlyMap<string, NamedFormat> = new Map([
  ['dns1123Label', new NamedFormat('DNS1123Label', 30, dnsLabelProblems)],
  ['dns1123Subdomain', new NamedFormat('DNS1123Subdomain', 60, subdomainProblems)],
  ['dns1035Label', new NamedFormat('DNS1035Label', 30, dns1035Problems)],
  ['qualifiedName', new NamedFormat('QualifiedName', 60, qualifiedName)],
  ['dns1123LabelPrefix', new NamedFormat('DNS1123LabelPrefix', 30, prefix(dnsLabelProblems))],
  ['dns1123SubdomainPrefix', new NamedFormat('DNS1123SubdomainPrefix', 60, prefix(subdomainProblems))],
  ['dns1035LabelPrefix', new NamedFormat('DNS1035LabelPrefix', 30, prefix(dns1035Problems))],
  ['labelValue', new NamedFormat('LabelValue', 40, problemsBy(labelValue))],
  ['uri', new NamedFormat('URI', 1103, simply(isUrl, 'invalid URI'))],
  [
    'uuid',
    new NamedFormat(
      'uuid',
      70,
      simply((text) => uuid.test(text), 'does not match the UUID format'),
    ),
  ],
  [
    'byte',
    new NamedFormat(
      'byte',
      84,
      simply((text) => base64.test(text), 'invalid base64'),
    ),
  ],
  ['date', new NamedFormat('date', 71, simply(isDate, 'invalid date'))],
  ['datetime', new NamedFormat('datetime', 71, simply(isDateTime, 'invalid datetime'))],
]);
