// Parses and evaluates label and field selectors.
import { badRequest } from './apiStatus.ts';
import { at, type KubeObject } from './object.ts';
import type { ResourceType } from './resources.ts';

export type Selector = (object: KubeObject) => boolean;

/** Label selector grammar: `a=b`, `a==b`, `a!=b`, `a`, `!a`, `a in (b,c)`, `a notin (b)`; requirements joined by commas. */
export function parseLabelSelector(text: string): Selector {
  const requirements = splitOutsideParentheses(text).map(parseRequirement);
  return (object) => requirements.every((matches) => matches(object.metadata.labels ?? {}));
}

type Labels = Readonly<Record<string, string>>;

function splitOutsideParentheses(text: string): readonly string[] {
  return text.split(/,(?![^(]*\))/).map((part) => part.trim());
}

function parseRequirement(text: string): (labels: Labels) => boolean {
  const setBased = /^([^\s!=()]+)\s+(in|notin)\s+\(([^)]*)\)$/.exec(text);
  if (setBased) {
    const [, key = '', operator, list = ''] = setBased;
    const values = list.split(',').map((value) => value.trim());
    return (labels) => isListed(labels[key], values) === (operator === 'in');
  }
  const equality = /^([^\s!=()]+)\s*(==|=|!=)\s*([^\s!=()]*)$/.exec(text);
  if (equality) {
    const [, key = '', operator, value] = equality;
    return (labels) => (labels[key] === value) === (operator !== '!=');
  }
  const existence = /^(!?)([^\s!=()]+)$/.exec(text);
  if (!existence) throw badRequest(`unable to parse requirement: found '${text}', expected: identifier`);
  const [, not, key = ''] = existence;
  return (labels) => key in labels === (not === '');
}

function isListed(value: string | undefined, values: readonly string[]): boolean {
  return value !== undefined && values.includes(value);
}

/** Supports metadata.name, metadata.namespace and the selectableFields of the resource. */
export function parseFieldSelector(text: string, resource: ResourceType, apiVersion: string): Selector {
  const known = new Set(['metadata.name', ...(resource.namespaced ? ['metadata.namespace'] : [])]);
  for (const field of resource.selectableFields ?? []) known.add(field);
  const requirements = text.split(',').map((part) => {
    const found = /^([^!=]+)(==|=|!=)(.*)$/.exec(part.trim());
    if (!found) throw badRequest(`invalid selector: '${text}'; can't understand '${part}'`);
    const [, field = '', operator, value] = found;
    if (!known.has(field)) {
      const where = resource.group ? ` for ${apiVersion}, Kind=${resource.kind}` : '';
      throw badRequest(`field label not supported${where}: ${field}`);
    }
    const path = field.split('.');
    return (object: KubeObject) => (String(at(object, ...path) ?? '') === value) === (operator !== '!=');
  });
  return (object) => requirements.every((matches) => matches(object));
}

export interface SelectorTexts {
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

/** Undefined without selectors. */
export function parseSelectors(texts: SelectorTexts, resource: ResourceType, apiVersion: string): Selector | undefined {
  const selectors: Selector[] = [];
  if (texts.labelSelector) selectors.push(parseLabelSelector(texts.labelSelector));
  if (texts.fieldSelector) selectors.push(parseFieldSelector(texts.fieldSelector, resource, apiVersion));
  return selectors.length > 0 ? (object) => selectors.every((selects) => selects(object)) : undefined;
}

/** Selectors in the query of a request. */
export function selectorTexts(query: URLSearchParams): SelectorTexts {
  return {
    labelSelector: query.get('labelSelector') ?? undefined,
    fieldSelector: query.get('fieldSelector') ?? undefined,
  };
}
