// Lists of the Kubernetes API that are maps keyed by an item field (x-kubernetes-list-map-keys); other lists are atomic.

const keyByField: Readonly<Record<string, string>> = {
  conditions: 'type',
  ownerReferences: 'uid',
  reservedFor: 'uid',
  resourceClaimStatuses: 'name',
  resourceClaims: 'name',
  containers: 'name',
  initContainers: 'name',
  volumes: 'name',
  imagePullSecrets: 'name',
  addresses: 'type',
};

/** Key field of a list-map, by the field name of the list. */
export function listKey(field: string): string | undefined {
  return Object.hasOwn(keyByField, field) ? keyByField[field] : undefined;
}

/** Lists of distinct plain values, merged by union. */
export function isSetList(field: string): boolean {
  return field === 'finalizers';
}
