// Reference page of Sluice's own kinds, made from the CRDs that the chart installs.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { table } from './markdown.ts';

interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly minItems?: number;
  readonly minProperties?: number;
  readonly format?: string;
  readonly 'x-kubernetes-int-or-string'?: boolean;
}

interface Crd {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string; readonly plural: string; readonly shortNames?: readonly string[] };
    readonly versions: readonly {
      readonly name: string;
      readonly schema: { readonly openAPIV3Schema: Schema };
    }[];
  };
}

const folder = path.join(import.meta.dirname, '..', '..', 'deploy', 'chart', 'crds');

export function kindsPage(): string {
  const crds = readdirSync(folder)
    .sort()
    .map((file) => parse(readFileSync(path.join(folder, file), 'utf8')) as Crd);
  return `# Kinds

The fields of all kinds, which are cluster-scoped. A field in bold is required. Rules of the CRDs that a column cannot hold, such as those that compare two fields, are in the CRDs, and the API server names them when it refuses an object. \`npm run generate:reference\` makes this page from \`deploy/chart/crds\`.

${crds.map(kindPart).join('\n\n')}
`;
}

function kindPart({ spec: { group, names, versions } }: Crd): string {
  const [version] = versions;
  const { description = '', properties = {}, required = [] } = version?.schema.openAPIV3Schema ?? {};
  const short = names.shortNames?.map((one) => `\`${one}\``).join(', ') ?? '';
  const fields = [...fieldsOf(properties.spec, 'spec'), ...fieldsOf(properties.status, 'status')];
  return `## ${names.kind}

${plain(description)}

\`${group}/${version?.name}\`, \`kubectl get ${names.plural}\`${short === '' ? '' : `, short ${short}`}.${required.includes('spec') ? ' `spec` is required.' : ''}

${table(['field', 'value', 'meaning'], fields)}`;
}

/** Conditions have a page of their own, and their fields are Kubernetes' own. */
const known: ReadonlySet<string> = new Set(['status.conditions']);

function fieldsOf(schema: Schema | undefined, at: string): readonly (readonly string[])[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).flatMap(([name, field]) => {
    const here = `${at}.${name}`;
    const shown = required.includes(name) ? `**\`${here}\`**` : `\`${here}\``;
    const row = [shown, valueText(field), plain(field.description ?? '')];
    if (known.has(here)) return [[shown, 'list', 'See [conditions](status.md#conditions).']];
    const inner = field.items ? fieldsOf(field.items, `${here}[]`) : fieldsOf(field, here);
    return [row, ...inner];
  });
}

function valueText(field: Schema): string {
  const { type = field['x-kubernetes-int-or-string'] ? 'integer or percentage' : 'any', items, format } = field;
  if (field.enum && !items) return limitsOf(field).join(', ');
  if (!items) return [format ?? type, ...limitsOf(field)].join(', ');
  const { maxLength: _, ...inner } = items;
  return [`list of ${valueText(inner).replace(/^object$/, 'objects')}`, ...limitsOf(field)].join(', ');
}

function limitsOf(field: Schema): readonly string[] {
  const { enum: choices, minimum, maximum, maxLength, minItems, maxItems, minProperties } = field;
  const least = minimum === undefined ? [] : [`at least ${minimum}`];
  return [
    ...(choices ? [choices.map((one) => `\`${one}\``).join(', ')] : []),
    ...(maximum === undefined ? least : [minimum === undefined ? `at most ${maximum}` : `${minimum} to ${maximum}`]),
    ...(maxLength === undefined ? [] : [`at most ${maxLength} characters`]),
    ...(minItems === undefined ? [] : [`at least ${minItems}`]),
    ...(maxItems === undefined ? [] : [`at most ${maxItems}`]),
    ...(minProperties === undefined ? [] : ['not empty']),
    ...(field.default === undefined ? [] : [`default \`${JSON.stringify(field.default)}\``]),
  ];
}

/** One line, in which no \`<\` begins an HTML element. */
function plain(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ').replaceAll('<', '&lt;');
}
