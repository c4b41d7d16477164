// Caches the JSON of stored objects per API version, because lists and watches send the same object many times.
import { type KubeObject, without } from './object.ts';
import { apiVersionOf, type ResourceType } from './resources.ts';

const whole = new WeakMap<KubeObject, Map<string, string>>();
const items = new WeakMap<KubeObject, string>();

/** JSON of the object in one API version, with kind and apiVersion. */
export function objectJson(object: KubeObject, resource: ResourceType, version: string): string {
  const apiVersion = apiVersionOf(resource, version);
  const texts = whole.get(object) ?? new Map<string, string>();
  whole.set(object, texts);
  const text = texts.get(apiVersion) ?? JSON.stringify({ ...object, kind: resource.kind, apiVersion });
  texts.set(apiVersion, text);
  return text;
}

/** JSON of the object as a list item, without kind and apiVersion. */
export function itemJson(object: KubeObject): string {
  const text = items.get(object) ?? JSON.stringify(without(object, 'kind', 'apiVersion'));
  items.set(object, text);
  return text;
}
