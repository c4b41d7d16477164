// Namespace of the core group, reduced to the labels that affect its pods.
import type { ObjectMeta } from './objects.ts';

export interface Namespace extends ObjectMeta {
  readonly kind: 'Namespace';
  /** Only labels under `sluice.dev/`; absent if there are none. */
  readonly labels?: Readonly<Record<string, string>>;
}
