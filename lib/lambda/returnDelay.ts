// The back-off before a failed message is received again.

/**
 * Most failures are a lost race or a throttled call and are over within a second; a visibility timeout of six times the function's (AWS
 * Lambda's advice for SQS) would keep a pod on its broken device for minutes. Later attempts wait longer, so that an outage of 15 minutes
 * does not fill the dead-letter queue.
 */
const seconds = [1, 5, 20, 60, 180, 300, 300] as const;

/** Seconds after the failed receive number `receives` (SQS ApproximateReceiveCount, from 1). */
export function returnDelay(receives: number): number {
  const place = Number.isFinite(receives) ? Math.max(0, Math.floor(receives) - 1) : 0;
  return seconds[Math.min(place, seconds.length - 1)] ?? 300;
}
