// Timeouts of AWS calls: without an error at the timeout, a silent network would block the caller indefinitely.

/** `requestTimeout`: milliseconds per attempt, short enough that a token is not lost while a call hangs; a long poll needs more. */
export function awsTimeouts(requestTimeout = 5000) {
  // By default the SDK only logs a warning when `requestTimeout` ends.
  return { connectionTimeout: 2000, requestTimeout, throwOnRequestTimeout: true } as const;
}
