// What the emulated account does not do as AWS does, and which other test covers it.

export interface Gap {
  readonly what: string;
  /** A file of this project. */
  readonly coveredBy: string;
}

export const gaps = {
  timeToLive: {
    what: 'CloudFormation leaves the expiry of a table out; the tests switch it on by hand',
    coveredBy: 'test/infra/template.test.ts',
  },
  moveTask: {
    what: 'StartMessageMoveTask is unknown; the tests send dead letters back one by one',
    coveredBy: 'docs/runbook.md',
  },
  pollers: {
    what: 'event source mappings receive and delete messages without asking IAM',
    coveredBy: 'test/infra/grants.test.ts',
  },
  slotsGivenBack: {
    what: 'that evict needs its grant on the queue of pace shows only when a slot comes late, which cannot be forced here',
    coveredBy: 'test/infra/usage.test.ts',
  },
  logsAndTraces: {
    what: 'logs are written without asking IAM, and traces are not sent',
    coveredBy: 'test/infra/grants.test.ts',
  },
  metrics: {
    what: 'nothing makes metrics of EMF lines or of services; the tests take them out of the logs, or give alarms values by hand',
    coveredBy: 'test/alarms/alarms.test.ts',
  },
  alarms: {
    what: 'alarms ignore dimensions, the number of periods and missing data; that they ring at their threshold is tried',
    coveredBy: 'test/alarms/evaluate.test.ts',
  },
  tls: {
    what: 'plain HTTP, so that the queues are deployed without their refusal of it',
    coveredBy: 'test/infra/queues.test.ts',
  },
  loopback: {
    what: 'HTTPS to 127.0.0.1 is sent as HTTP; the cluster listens at 127.0.0.2',
    coveredBy: 'test/adapters/kubernetes/credentials.test.ts',
  },
  accessEntries: {
    what: 'EKS access entries are refused; functions read a token from a file',
    coveredBy: 'test/infra/grants.test.ts',
  },
  recursion: {
    what: 'loops of messages are not stopped',
    coveredBy: 'test/infra/usage.test.ts',
  },
  validation: {
    what: 'a mapping to a queue that does not exist is deployed without an error',
    coveredBy: 'test/infra/queues.test.ts',
  },
  memory: {
    what: 'neither memory limits nor the read-only file system of AWS Lambda hold',
    coveredBy: 'test/infra/bundles.test.ts',
  },
} as const satisfies Record<string, Gap>;
