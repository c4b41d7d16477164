// The EventRecorder port: core/v1 Events with deterministic names, so that a repeated step writes no duplicates.
import { componentName } from '../../contract.ts';
import type { ObjectKind } from '../../model/projection.ts';
import type { EventToRecord } from '../../model/status.ts';
import { formatInstant } from '../../model/time.ts';
import type { EventRecorder, Log } from '../../ports.ts';
import type { ApiClient } from './apiClient.ts';
import { failureOf } from './apiFailure.ts';

export function createEventRecorder(client: ApiClient, log: Log): EventRecorder {
  return {
    async record(event) {
      const { namespace = 'default' } = 'namespace' in event.regarding ? event.regarding : {};
      const request = {
        method: 'POST',
        path: `/api/v1/namespaces/${encodeURIComponent(namespace)}/events`,
        body: bodyOf(event, namespace),
        subject: `Event ${namespace}/${event.name}`,
      } as const;
      const answer = await client.send(request);
      // 409: the Event already exists, because this step ran before.
      if (answer.kind === 'Answer' && [200, 201, 202, 409].includes(answer.status)) return;
      log.warn('Event not recorded', {
        event: event.name,
        text: event.message,
        why: failureOf(request, answer).why,
      });
    },
  };
}

/** kubectl describe finds Events by UID, and shows them only for objects of this API version. */
const apiVersions = {
  Pod: 'v1',
  Namespace: 'v1',
  ResourceClaim: 'resource.k8s.io/v1',
  ResourceSlice: 'resource.k8s.io/v1',
  DeviceClass: 'resource.k8s.io/v1',
  DeviceTaintRule: 'resource.k8s.io/v1',
  PacedTaintRule: 'sluice.dev/v1alpha1',
  EvictionPolicy: 'sluice.dev/v1alpha1',
  DeviceTaintSlice: 'sluice.dev/v1alpha1',
} as const satisfies Record<ObjectKind, string>;

function bodyOf(event: EventToRecord, namespace: string): object {
  const at = formatInstant(event.at);
  const { regarding } = event;
  const involvedObject =
    'kind' in regarding
      ? { apiVersion: apiVersions[regarding.kind], ...regarding }
      : { apiVersion: 'v1', kind: 'Pod', ...regarding };
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: event.name, namespace },
    involvedObject,
    type: event.type,
    reason: event.reason,
    message: event.message,
    source: { component: componentName },
    reportingComponent: componentName,
    firstTimestamp: at,
    lastTimestamp: at,
    count: 1,
  };
}
