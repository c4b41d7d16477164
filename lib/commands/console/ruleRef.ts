// `Kind/NAME` of a rule.
import type { Json } from '../../adapters/kubernetes/read.ts';
import { nameOf } from '../cluster/objects.ts';

export function refOf(rule: Json): string {
  return `${rule.kind}/${nameOf(rule)}`;
}
