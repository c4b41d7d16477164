// Every grant is needed: those of the functions that evaluate many pods, sweep, and draw the dashboard widget.
import { describe } from 'vitest';
import { describeGrants } from './support/grantRounds.ts';

describe('with IAM enforced', () => describeGrants('Beside'));
