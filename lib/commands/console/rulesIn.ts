// The rules of a watched cluster.
import type { Json } from '../../adapters/kubernetes/read.ts';
import { isWrittenRule } from '../get/rules.ts';
import type { ConsoleSource } from './source.ts';

/** Without native rules that Sluice projected from PacedTaintRules. */
export function rulesIn({ objects }: Pick<NonNullable<ConsoleSource['followed']>, 'objects'>): readonly Json[] {
  return [...objects('DeviceTaintRule'), ...objects('PacedTaintRule')].filter(isWrittenRule);
}
