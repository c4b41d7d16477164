// Namespace of the core group as Sluice keeps it: what it says about its pods.
import type { ObjectMeta } from './objects.ts';

export interface Namespace extends ObjectMeta {
  readonly kind: 'Namespace';
  /** Only those under `sluice.dev/`; absent where it has none. */
  readonly labels?: Readonly<Record<string, string>>;
}
