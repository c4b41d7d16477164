// Converts API objects of any served version to projections; unreadable fields are reported, never guessed.
import type { ObjectKind, ObjectProjection } from '../../model/projection.ts';
import { projectClaim } from './projectClaim.ts';
import { projectClass } from './projectClass.ts';
import { projectNamespace } from './projectNamespace.ts';
import { projectPacedRule } from './projectPacedRule.ts';
import { projectPod } from './projectPod.ts';
import { projectPolicy } from './projectPolicy.ts';
import { projectRule } from './projectRule.ts';
import { projectSlice } from './projectSlice.ts';
import { projectTaintSlice } from './projectTaintSlice.ts';
import type { Projected } from './read.ts';

const projections: Readonly<Record<ObjectKind, (object: unknown) => Projected<ObjectProjection>>> = {
  Pod: projectPod,
  ResourceClaim: projectClaim,
  ResourceSlice: projectSlice,
  DeviceTaintRule: projectRule,
  PacedTaintRule: projectPacedRule,
  EvictionPolicy: projectPolicy,
  DeviceTaintSlice: projectTaintSlice,
  DeviceClass: projectClass,
  Namespace: projectNamespace,
};

export function project(kind: ObjectKind, object: unknown): Projected<ObjectProjection> {
  return projections[kind](object);
}
