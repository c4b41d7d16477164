// An AWS account that cannot be reached.
import { vi } from 'vitest';

/** Until `vi.unstubAllEnvs`. */
export function stubDeadAws(): void {
  // Nothing listens there.
  vi.stubEnv('AWS_ENDPOINT_URL', 'http://127.0.0.1:1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'a');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'b');
  vi.stubEnv('AWS_MAX_ATTEMPTS', '1');
}
