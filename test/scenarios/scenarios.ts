// The scenario table: every edge case of the in-tree controller (docs/reference/rules.md) that an outside controller can show, and Sluice's own.

import { atScale } from './rows/atScale.ts';
import { badInput } from './rows/badInput.ts';
import { cancelling } from './rows/cancelling.ts';
import { evicting } from './rows/evicting.ts';
import { executing } from './rows/executing.ts';
import { indexing } from './rows/indexing.ts';
import { nonPodConsumers } from './rows/nonPodConsumers.ts';
import { reporting } from './rows/reporting.ts';
import { selecting } from './rows/selecting.ts';
import { tolerated } from './rows/tolerating.ts';
import type { Scenario } from './scenario.ts';

export const scenarios: readonly Scenario[] = [
  ...indexing,
  ...evicting,
  ...tolerated,
  ...reporting,
  ...selecting,
  ...cancelling,
  ...executing,
  ...atScale,
  ...nonPodConsumers,
  ...badInput,
];
