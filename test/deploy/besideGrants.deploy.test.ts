// Every grant is needed: those of the functions beside that path, which evaluate many pods, repair, and draw.
import { describe } from 'vitest';
import { describeGrants } from './support/grantRounds.ts';

describe('with IAM enforced', () => describeGrants('Beside'));
