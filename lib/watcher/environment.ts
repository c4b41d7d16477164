// The watcher's environment, read once; all errors are reported together.
import { resendQueueOf } from '../contract.ts';

export interface WatcherEnvironment {
  readonly queueUrl: string;
  /** The queue of requests to send objects again; derived from `queueUrl`. */
  readonly resendQueueUrl: string;
  /** From AWS_REGION, else from the queue's URL. */
  readonly region: string;
  /** 0: no probes. */
  readonly healthPort: number;
  /** From SLUICE_PROBE_OWNER: the watcher may probe for an in-tree controller. */
  readonly probesOwner: boolean;
}

export type ReadEnvironment =
  | { readonly kind: 'Usable'; readonly environment: WatcherEnvironment }
  | { readonly kind: 'Unusable'; readonly problems: readonly string[] };

export function readWatcherEnvironment(env: Readonly<Record<string, string | undefined>>): ReadEnvironment {
  const problems: string[] = [];
  const queueUrl = env.SLUICE_INGEST_QUEUE_URL ?? '';
  if (queueUrl === '') problems.push('SLUICE_INGEST_QUEUE_URL is not set: the stack prints it as an output');
  // Not stricter: emulators use host names that a URL parser rejects, and the SDK reads the path only.
  else if (!/^https?:\/\/\S+$/.test(queueUrl)) problems.push(`SLUICE_INGEST_QUEUE_URL is not a URL: ${queueUrl}`);
  const resendQueueUrl = resendQueueOf(queueUrl);
  if (queueUrl !== '' && resendQueueUrl === queueUrl)
    problems.push(`SLUICE_INGEST_QUEUE_URL names no ingest queue of Sluice ("<stack>-ingest-<cluster>"): ${queueUrl}`);
  const region = env.AWS_REGION || env.AWS_DEFAULT_REGION || regionOf(queueUrl);
  if (queueUrl !== '' && !region)
    problems.push('AWS_REGION is not set and the URL of the queue does not name a region');
  const healthPort = readHealthPort(env);
  if (healthPort === undefined) problems.push(`SLUICE_HEALTH_PORT is not a port: ${env.SLUICE_HEALTH_PORT}`);
  const probe = env.SLUICE_PROBE_OWNER || 'false';
  if (!['true', 'false'].includes(probe)) problems.push(`SLUICE_PROBE_OWNER is neither true nor false: ${probe}`);
  if (problems.length > 0 || !region || healthPort === undefined) return { kind: 'Unusable', problems };
  return {
    kind: 'Usable',
    environment: { queueUrl, resendQueueUrl, region, healthPort, probesOwner: probe === 'true' },
  };
}

/** 0: no probes; `undefined`: not a port. */
export function readHealthPort(env: Readonly<Record<string, string | undefined>>): number | undefined {
  const port = Number(env.SLUICE_HEALTH_PORT || '0');
  return Number.isInteger(port) && port >= 0 && port <= 65_535 ? port : undefined;
}

/** `https://sqs.<region>.amazonaws.com/...` */
function regionOf(queueUrl: string): string | undefined {
  return /^https:\/\/sqs\.([a-z0-9-]+)\.amazonaws\.com/.exec(queueUrl)?.[1];
}
