// Authentication by static bearer tokens, and authorization by an optional function instead of RBAC.
import { ApiStatus, qualified, unauthorized } from './apiStatus.ts';
import type { RequestInfo } from './request.ts';

export interface User {
  readonly name: string;
  readonly groups: readonly string[];
}

export interface AccessOptions {
  /** By token. */
  readonly users: ReadonlyMap<string, User>;
  /** Authorizes a request; absent: every known user may do everything. */
  readonly authorize?: ((user: User, request: RequestInfo) => boolean) | undefined;
}

const anonymous: User = { name: 'system:anonymous', groups: ['system:unauthenticated'] };

/** No token: anonymous. A wrong one: 401. */
export function authenticate(authorization: string | undefined, options: AccessOptions): User {
  if (authorization === undefined) return anonymous;
  const token = /^Bearer\s+(\S+)$/i.exec(authorization)?.[1];
  const user = token === undefined ? undefined : options.users.get(token);
  if (!user) throw unauthorized();
  return user;
}

/** Throws 403 with the API server's text. */
export function authorize(user: User, request: RequestInfo, options: AccessOptions): void {
  const allowed = user !== anonymous && (options.authorize?.(user, request) ?? true);
  if (allowed) return;
  const { resource, name, namespace, subresource, verb } = request;
  const object = name ? `${qualified(resource)} "${name}"` : qualified(resource);
  const what = subresource ? `${resource.plural}/${subresource}` : resource.plural;
  const where = namespace ? `in the namespace "${namespace}"` : 'at the cluster scope';
  throw new ApiStatus({
    code: 403,
    reason: 'Forbidden',
    message:
      `${object} is forbidden: User "${user.name}" cannot ${verb} resource "${what}" ` +
      `in API group "${resource.group}" ${where}`,
    details: { ...(name && { name }), ...(resource.group && { group: resource.group }), kind: resource.plural },
  });
}
