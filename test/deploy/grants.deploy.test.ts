// Every grant is needed: those of the functions that a change passes until its pod is evicted and reported.
import { describe } from 'vitest';
import { describeGrants } from './support/grantRounds.ts';

describe('with IAM enforced', () => describeGrants('OfThePath'));
