// Namespace of the core group, reduced to the labels and annotations that affect its pods.
import type { ObjectMeta } from './objects.ts';

export interface Namespace extends ObjectMeta {
  readonly kind: 'Namespace';
  /** Only labels under `sluice.dev/`; absent if there are none. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Only pauses; absent if there are none. */
  readonly annotations?: Readonly<Record<string, string>>;
}
