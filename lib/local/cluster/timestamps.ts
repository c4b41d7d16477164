// Timestamps of the Kubernetes API: RFC 3339 with whole seconds, UTC.

/** `at` in epoch milliseconds, truncated to the second. */
export function timestamp(at: number): string {
  return new Date(Math.floor(at / 1000) * 1000).toISOString().replace('.000Z', 'Z');
}
