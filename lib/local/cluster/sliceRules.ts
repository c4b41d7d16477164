// API server behaviour for ResourceSlices: sets timeAdded of taints without it to the time of the write.
import { isMap, type JsonMap, listAt, mapAt } from './object.ts';
import type { ResourceRules } from './resourceType.ts';
import { timestamp } from './timestamps.ts';

export const sliceRules: ResourceRules = {
  applyDefaults(slice, now) {
    const spec = mapAt(slice, 'spec');
    if (!spec || listAt(spec, 'devices').length === 0) return slice;
    const devices = listAt(spec, 'devices').map((device) => (isMap(device) ? withTaintTimes(device, now) : device));
    return { ...slice, spec: { ...spec, devices } };
  },
};

function withTaintTimes(device: JsonMap, now: number): JsonMap {
  const taints = device.taints;
  if (!Array.isArray(taints)) return device;
  return {
    ...device,
    taints: taints.map((taint) => (isMap(taint) ? { ...taint, timeAdded: taint.timeAdded ?? timestamp(now) } : taint)),
  };
}
