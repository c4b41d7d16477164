// Resolves Ref, Fn::GetAtt, Fn::Join and Fn::Sub in template values; any other intrinsic function is an error.
import { z } from 'zod';
import { localAccount, localRegion } from './account.ts';

/** Local names of a resource. */
export interface Physical {
  readonly ref: string;
  /** By attribute name of Fn::GetAtt. */
  readonly attributes: Readonly<Record<string, string>>;
}

/** By logical id; includes pseudo parameters, and parameters with defaults. */
export type Scope = ReadonlyMap<string, Physical>;

export function pseudoParameters(stackName: string): ReadonlyMap<string, Physical> {
  const values = {
    'AWS::AccountId': localAccount,
    'AWS::Partition': 'aws',
    'AWS::Region': localRegion,
    'AWS::StackName': stackName,
    'AWS::URLSuffix': 'amazonaws.com',
  };
  return new Map(Object.entries(values).map(([name, ref]) => [name, { ref, attributes: {} }]));
}

const getAtt = z
  .union([z.tuple([z.string(), z.string()]), z.string().regex(/^[^.]+\.[^.]+$/)])
  .transform((value) => (typeof value === 'string' ? value.split('.') : value))
  .transform(([id = '', attribute = '']) => ({ id, attribute }));

/** A value that is a plain reference: logical id, and attribute for Fn::GetAtt. */
export const reference = z.union([
  z.strictObject({ Ref: z.string() }).transform((value) => ({ id: value.Ref, attribute: undefined })),
  z.strictObject({ 'Fn::GetAtt': getAtt }).transform((value) => value['Fn::GetAtt']),
]);

const join = z
  .strictObject({ 'Fn::Join': z.tuple([z.string(), z.array(z.unknown())]) })
  .transform((value) => value['Fn::Join']);

const sub = z
  .strictObject({
    'Fn::Sub': z.union([z.string(), z.tuple([z.string(), z.record(z.string(), z.unknown())])]),
  })
  .transform(({ 'Fn::Sub': value }) =>
    typeof value === 'string' ? { text: value, own: {} } : { text: value[0], own: value[1] },
  );

/** `where`: resource and property, for the error if the value cannot be resolved. */
export function resolveValue(value: unknown, scope: Scope, where: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const joined = join.safeParse(value);
  if (joined.success) {
    const [separator, parts] = joined.data;
    return parts.map((part) => resolveValue(part, scope, where)).join(separator);
  }
  const substituted = sub.safeParse(value);
  if (substituted.success) return substitute(substituted.data, (inner) => resolveValue(inner, scope, where));
  const referred = reference.safeParse(value);
  const found = referred.success ? lookUp(referred.data, scope) : undefined;
  if (found === undefined) throw new Error(`template: ${where}: ${JSON.stringify(value)} cannot be resolved locally`);
  return found;
}

function lookUp({ id, attribute }: z.output<typeof reference>, scope: Scope): string | undefined {
  const physical = scope.get(id);
  return attribute === undefined ? physical?.ref : physical?.attributes[attribute];
}

/** Replaces `${Id}`, `${Id.Attribute}` and names in `own`; `${!text}` becomes a literal `${text}`. */
function substitute(
  { text, own }: { readonly text: string; readonly own: Readonly<Record<string, unknown>> },
  resolve: (value: unknown) => string,
): string {
  return text.replaceAll(/\$\{([^}]*)\}/g, (_, name: string) => {
    if (name.startsWith('!')) return `\${${name.slice(1)}}`;
    if (Object.hasOwn(own, name)) return resolve(own[name]);
    return resolve(name.includes('.') ? { 'Fn::GetAtt': name } : { Ref: name });
  });
}
