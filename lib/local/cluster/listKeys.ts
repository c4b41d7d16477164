// Which lists of the Kubernetes API are maps keyed by a field of their items (x-kubernetes-list-map-keys); others are atomic.

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

/** The key field of a list-map, by the name of the field that holds the list. */
export function listKey(field: string): string | undefined {
  return Object.hasOwn(keyByField, field) ? keyByField[field] : undefined;
}

/** Lists of distinct plain values, merged by union. */
export function isSetList(field: string): boolean {
  return field === 'finalizers';
}
