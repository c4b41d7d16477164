// Functions in a template of Sluice, and their environment variables.
import { filePrefix } from '../contract.ts';
import { at } from './at.ts';
import { type Template, type TemplateResource, textOr } from './template.ts';

export type Functions = Readonly<Partial<Record<string, TemplateResource>>>;

/** Functions by the name in their description. */
export function functionsOf({ resources }: Template): Functions {
  const found = resources.filter(({ type }) => type === 'AWS::Lambda::Function');
  return Object.fromEntries(
    found.map((one) => [textOr(one.properties.Description, '').replace(/^Sluice /, ''), one] as const),
  );
}

export function variableOf(of: TemplateResource | undefined, name: string): unknown {
  return at(of?.properties, 'Environment', 'Variables', name);
}

/** Parsed variable; `undefined` if it is missing, not JSON, or stored in a file beside the bundle. */
export function jsonIn(of: TemplateResource | undefined, name: string): unknown {
  const text = variableOf(of, name);
  if (typeof text !== 'string' || text.startsWith(filePrefix)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
