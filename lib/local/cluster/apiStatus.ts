// Status bodies of refused requests, with the texts of kube-apiserver 1.37.
import type { JsonMap } from './object.ts';
import type { FieldError, ResourceType } from './resourceType.ts';

/** Thrown anywhere to end a request with this Status. */
export class ApiStatus extends Error {
  readonly code: number;
  readonly body: JsonMap;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: StatusFields) {
    super(status.message);
    this.code = status.code;
    this.body = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: status.metadata ?? {},
      status: 'Failure',
      message: status.message,
      ...(status.reason !== undefined && { reason: status.reason }),
      ...(status.details && { details: status.details }),
      code: status.code,
    };
    const seconds = status.details?.retryAfterSeconds;
    this.headers = typeof seconds === 'number' ? { 'retry-after': String(seconds) } : {};
  }
}

export interface StatusFields {
  readonly code: number;
  /** Absent where the API server gives none. */
  readonly reason?: string;
  readonly message: string;
  readonly details?: JsonMap;
  readonly metadata?: JsonMap;
}

/** `pods`, `devicetaintrules.resource.k8s.io`: how messages name a resource. */
export function qualified(type: ResourceType, noun: string = type.plural): string {
  return type.group ? `${noun}.${type.group}` : noun;
}

function details(type: ResourceType, name: string, noun: string = type.plural): JsonMap {
  return { ...(name && { name }), ...(type.group && { group: type.group }), kind: noun };
}

export function notFound(type: ResourceType, name: string): ApiStatus {
  const message = `${qualified(type)} "${name}" not found`;
  return new ApiStatus({ code: 404, reason: 'NotFound', message, details: details(type, name) });
}

export function alreadyExists(type: ResourceType, name: string): ApiStatus {
  const message = `${qualified(type)} "${name}" already exists`;
  return new ApiStatus({ code: 409, reason: 'AlreadyExists', message, details: details(type, name) });
}

/** A write with an older resourceVersion. */
export function modified(type: ResourceType, name: string): ApiStatus {
  return conflict(
    type,
    name,
    'the object has been modified; please apply your changes to the latest version and try again',
  );
}

export function conflict(type: ResourceType, name: string, why: string): ApiStatus {
  const message = `Operation cannot be fulfilled on ${qualified(type)} "${name}": ${why}`;
  return new ApiStatus({ code: 409, reason: 'Conflict', message, details: details(type, name) });
}

/** A delete with failed preconditions; here the API server names the kind, not the resource. */
export function failedPrecondition(type: ResourceType, name: string, why: string): ApiStatus {
  const message = `Operation cannot be fulfilled on ${qualified(type, type.kind)} "${name}": ${why}`;
  return new ApiStatus({ code: 409, reason: 'Conflict', message, details: details(type, name, type.kind) });
}

export function invalid(type: ResourceType, name: string, errors: readonly FieldError[]): ApiStatus {
  const texts = errors.map((error) => `${error.field}: ${error.message}`);
  const list = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  const causes = errors.map(({ reason, message, field }) => ({ reason, message, field }));
  return new ApiStatus({
    code: 422,
    reason: 'Invalid',
    message: `${qualified(type, type.kind)} "${name}" is invalid: ${list}`,
    details: { ...details(type, name, type.kind), causes },
  });
}

export function badRequest(message: string): ApiStatus {
  return new ApiStatus({ code: 400, reason: 'BadRequest', message });
}

export function expired(message: string, metadata?: JsonMap): ApiStatus {
  return new ApiStatus({ code: 410, reason: 'Expired', message, ...(metadata && { metadata }) });
}

export function unauthorized(): ApiStatus {
  return new ApiStatus({ code: 401, reason: 'Unauthorized', message: 'Unauthorized' });
}

/** 429; header and body tell the client how long to wait. */
export function tooManyRequests(retryAfterSeconds: number): ApiStatus {
  const message = 'too many requests, please try again later';
  return new ApiStatus({ code: 429, reason: 'TooManyRequests', message, details: { retryAfterSeconds } });
}

/** 429 of the Eviction subresource. */
export function disruptionBudgetExceeded(budget: string): ApiStatus {
  const message = "Cannot evict pod as it would violate the pod's disruption budget.";
  const causes = [{ reason: 'DisruptionBudget', message: `The disruption budget ${budget} needs more healthy pods` }];
  return new ApiStatus({ code: 429, reason: 'TooManyRequests', message, details: { causes } });
}

export function noSuchResource(): ApiStatus {
  const message = 'the server could not find the requested resource';
  return new ApiStatus({ code: 404, reason: 'NotFound', message, details: {} });
}

export function methodNotAllowed(): ApiStatus {
  const message = 'the server does not allow this method on the requested resource';
  return new ApiStatus({ code: 405, reason: 'MethodNotAllowed', message, details: {} });
}
