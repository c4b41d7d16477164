// Formats objects as a Table of meta.k8s.io/v1, which kubectl requests to print columns (KEP-1027).
import { columnsOf } from './columns.ts';
import type { JsonMap, KubeObject } from './object.ts';
import type { RequestInfo } from './request.ts';

/** Whether the client prefers a Table by its Accept header. */
export function wantsTable(accept: string | undefined): boolean {
  const [first = ''] = (accept ?? '').split(',');
  const parameters = first.split(';').map((one) => one.trim());
  return parameters[0] === 'application/json' && parameters.includes('as=Table') && parameters.includes('v=v1');
}

/** `metadata`: of the list or the single object. */
export function tableOf(
  objects: readonly KubeObject[],
  { request, metadata, now }: { readonly request: RequestInfo; readonly metadata: JsonMap; readonly now: number },
): JsonMap {
  const columns = columnsOf(request.resource.plural);
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata,
    columnDefinitions: columns.map(({ name, type, priority = 0 }) => ({
      name,
      type,
      format: name === 'Name' ? 'name' : '',
      description: '',
      priority,
    })),
    rows: objects.map((object) => ({
      cells: columns.map(({ cell }) => cell(object, now)),
      object: rowObject(object, request.query.get('includeObject')),
    })),
  };
}

function rowObject(object: KubeObject, include: string | null): JsonMap | null {
  if (include === 'None') return null;
  if (include === 'Object') return object;
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata };
}
