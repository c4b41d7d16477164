// Writes stored objects as JSON once per version asked for, because lists and watches send the same object many times.
import type { KubeObject } from './object.ts';
import { apiVersionOf, type ResourceType } from './resources.ts';

const cache = new WeakMap<KubeObject, Map<string, string>>();

/** The object as one version of its API shows it, with kind and apiVersion. */
export function objectJson(object: KubeObject, resource: ResourceType, version: string): string {
  const apiVersion = apiVersionOf(resource, version);
  let texts = cache.get(object);
  if (!texts) {
    texts = new Map();
    cache.set(object, texts);
  }
  let text = texts.get(apiVersion);
  if (text === undefined) {
    text = JSON.stringify({ ...object, kind: resource.kind, apiVersion });
    texts.set(apiVersion, text);
  }
  return text;
}
