// API server behaviour for Pods: defaults, initial status, and an immutable spec with few exceptions.
import { invalidValue, required } from './names.ts';
import { type JsonMap, type KubeObject, listAt, mapAt, same, without } from './object.ts';
import type { FieldError, ResourceRules } from './resourceType.ts';

const specDefaults: JsonMap = {
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 30,
  dnsPolicy: 'ClusterFirst',
  securityContext: {},
  schedulerName: 'default-scheduler',
  priority: 0,
  enableServiceLinks: true,
  preemptionPolicy: 'PreemptLowerPriority',
};

/** Mutable fields of a pod's spec; nodeName changes only through a binding, which is not served here. */
const mutableSpec = ['activeDeadlineSeconds', 'tolerations', 'terminationGracePeriodSeconds', 'schedulingGates'];

export const podRules: ResourceRules = {
  applyDefaults(pod) {
    return { ...pod, spec: { ...specDefaults, ...mapAt(pod, 'spec') } };
  },
  initialStatus: () => ({ phase: 'Pending', qosClass: 'BestEffort' }),
  validate(pod, old) {
    if (!old) return listAt(pod, 'spec', 'containers').length > 0 ? [] : [required('spec.containers')];
    return specChangeErrors(pod, old);
  },
};

function specChangeErrors(pod: KubeObject, old: KubeObject): readonly FieldError[] {
  const fixed = (of: KubeObject) => {
    const spec = without(mapAt(of, 'spec') ?? {}, ...mutableSpec);
    const withoutImages = listAt(spec, 'containers').map((container) => without(mapAt(container) ?? {}, 'image'));
    return { ...spec, containers: withoutImages };
  };
  if (same(fixed(pod), fixed(old))) return [];
  const why =
    'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,' +
    '`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),' +
    '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';
  return [{ ...invalidValue('spec', null, why), reason: 'FieldValueForbidden', message: `Forbidden: ${why}` }];
}
