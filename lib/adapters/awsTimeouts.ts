// How long a call of AWS may take: without an error at the end of its time, a silent network holds the caller for as long as it likes.

/** `requestTimeout` of one attempt, in milliseconds: short enough that a token is not lost while a call hangs; a long poll needs more. */
export function awsTimeouts(requestTimeout = 5000) {
  // By default the SDK only warns at the end of `requestTimeout`.
  return { connectionTimeout: 2000, requestTimeout, throwOnRequestTimeout: true } as const;
}
