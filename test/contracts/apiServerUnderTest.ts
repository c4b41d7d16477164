// What the contract of the Kubernetes API needs from a server, real or simulated, and helpers for its expectations.
import { randomUUID } from 'node:crypto';
import type { ApiAnswer, ApiClient, WatchEvent } from '../../lib/local/cluster/client.ts';
import { type JsonMap, mapAt, textAt } from '../../lib/local/cluster/object.ts';

export interface ApiServerUnderTest {
  readonly url: string;
  readonly ca: string;
  readonly token: string;
  /** With the administrator's token. */
  readonly client: ApiClient;
  /** A kind of a CustomResourceDefinition that is not namespaced. */
  readonly custom: { readonly collection: string; readonly apiVersion: string; readonly kind: string };
  /** A collection that cannot be read at `version` any more, because the history no longer reaches back. */
  expire(): Promise<{ readonly collection: string; readonly version: number }>;
  stop(): Promise<void>;
}

/** Hands out the server while its suite runs. */
export type CurrentServer = () => ApiServerUnderTest;

export const namespace = 'contract';
export const pods = `/api/v1/namespaces/${namespace}/pods`;
export const events = `/api/v1/namespaces/${namespace}/events`;
export const rules = '/apis/resource.k8s.io/v1/devicetaintrules';
export const slices = '/apis/resource.k8s.io/v1/resourceslices';
export const claims = `/apis/resource.k8s.io/v1/namespaces/${namespace}/resourceclaims`;
export const strategic = 'application/strategic-merge-patch+json';
export const merge = 'application/merge-patch+json';
export const applyYaml = 'application/apply-patch+yaml';
export const foreignUid = '00000000-0000-0000-0000-000000000000';

/** A name that no other test uses. */
export function uniqueName(prefix: string): string {
  return `${prefix}-${randomUUID().slice(0, 8)}`;
}

export interface StatusExpectation {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly details?: JsonMap;
}

/** The whole body of a refusal. */
export function failure({ code, reason, message, details }: StatusExpectation): JsonMap {
  const body = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code };
  return details ? { ...body, details } : body;
}

/** Creates an object, and throws unless the answer is 201. */
export async function created(client: ApiClient, collection: string, manifest: JsonMap): Promise<JsonMap> {
  return done(await client.call('POST', collection, { body: manifest }), 201);
}

/** The body of an answer that must have this status. */
export function done(answer: ApiAnswer, status = 200): JsonMap {
  if (answer.status === status) return answer.body;
  throw new Error(`expected ${status}, got ${answer.status}: ${JSON.stringify(answer.body)}`);
}

export function nameOf(object: JsonMap): string {
  return textAt(object, 'metadata', 'name') ?? '';
}

export function uidOf(object: JsonMap): string {
  return textAt(object, 'metadata', 'uid') ?? '';
}

export function versionOf(object: JsonMap): string {
  return textAt(object, 'metadata', 'resourceVersion') ?? '';
}

/** Without the metadata that the server sets and that differs from run to run. */
export function withoutServerMetadata(object: JsonMap): JsonMap {
  const { managedFields, uid, resourceVersion, creationTimestamp, ...metadata } = mapAt(object, 'metadata') ?? {};
  return { ...object, metadata };
}

/** All events until the server ends the stream. */
export async function collect(stream: AsyncIterable<WatchEvent>): Promise<readonly WatchEvent[]> {
  const collected: WatchEvent[] = [];
  for await (const event of stream) collected.push(event);
  return collected;
}
