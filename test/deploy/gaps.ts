// What each emulated account does not do as AWS does, and which other test covers it.
import type { TargetName } from './support/target.ts';

export interface Gap {
  readonly what: string;
  /** A file of this project. */
  readonly coveredBy: string;
}

/** Of all of them. */
const common = {
  pollers: {
    what: 'event source mappings receive and delete messages without asking IAM',
    coveredBy: 'test/infra/grants.test.ts',
  },
  traces: {
    what: 'traces are not sent',
    coveredBy: 'test/infra/grants.test.ts',
  },
  metrics: {
    what: 'nothing makes metrics of EMF lines; the tests take them out of the logs, or give alarms values by hand',
    coveredBy: 'test/alarms/alarms.test.ts',
  },
  tls: {
    what: 'plain HTTP, so that the queues are deployed without their refusal of it',
    coveredBy: 'test/infra/queues.test.ts',
  },
  accessEntries: {
    what: 'there is no EKS; functions read a token from a file, and an installation has the EKS that test/deploy/support/eks.ts plays over HTTP',
    coveredBy: 'test/deploy/install.deploy.test.ts',
  },
  recursion: {
    what: 'loops of messages are not stopped',
    coveredBy: 'test/infra/usage.test.ts',
  },
  memory: {
    what: 'neither memory limits nor the read-only file system of AWS Lambda hold',
    coveredBy: 'test/infra/bundles.test.ts',
  },
} as const satisfies Record<string, Gap>;

const ministack = {
  ...common,
  timeToLive: {
    what: 'CloudFormation leaves the expiry of a table out; the tests switch it on by hand',
    coveredBy: 'test/infra/template.test.ts',
  },
  moveTask: {
    what: 'StartMessageMoveTask is unknown; the tests send dead letters back one by one',
    coveredBy: 'docs/runbook.md',
  },
  slotsGivenBack: {
    what: 'that evict needs its grant on its own queue shows only after two minutes of work, which cannot be forced here',
    coveredBy: 'test/infra/usage.test.ts',
  },
  logs: {
    what: 'logs are written without asking IAM: a function that still runs when the stack is removed makes its log group again',
    coveredBy: 'test/infra/grants.test.ts',
  },
  serviceMetrics: {
    what: 'queues and functions have no metrics of their own; the doctor reports outbound queues as never polled',
    coveredBy: 'test/alarms/evaluate.test.ts',
  },
  alarms: {
    what: 'alarms ignore dimensions, the number of periods and missing data; that they ring at their threshold is tried',
    coveredBy: 'test/alarms/evaluate.test.ts',
  },
  loopback: {
    what: 'HTTPS to 127.0.0.1 is sent as HTTP; the cluster listens at 127.0.0.2',
    coveredBy: 'test/adapters/kubernetes/credentials.test.ts',
  },
  updates: {
    what: 'an update of a function ends its invocations, which AWS lets finish: their messages wait for the queue, and what they left for the sweep',
    coveredBy: 'test/upgrade/recorded.test.ts',
  },
  validation: {
    what: 'a mapping to a queue that does not exist is deployed without an error',
    coveredBy: 'test/infra/queues.test.ts',
  },
} as const satisfies Record<string, Gap>;

const localstack = {
  ...common,
  iam: {
    what: 'policies are not enforced in the free edition',
    coveredBy: 'test/deploy/grants.deploy.test.ts',
  },
  expiry: {
    what: 'expired rows stay',
    coveredBy: 'test/infra/template.test.ts',
  },
  concurrency: {
    what: 'a mapping hands over one batch after another; the executor plugin lets up to four go side by side',
    coveredBy: 'test/infra/queues.test.ts',
  },
  dashboards: {
    what: 'dashboards are left out, without an error',
    coveredBy: 'test/infra/template.test.ts',
  },
  alarms: {
    what: 'an alarm is looked at when it is put, and then once in its whole window; the tests put it again',
    coveredBy: 'test/alarms/evaluate.test.ts',
  },
  logGroups: {
    what: 'lines go to the default log group; the executor plugin turns them to the one of the stack',
    coveredBy: 'test/infra/functions.test.ts',
  },
} as const satisfies Record<string, Gap>;

export const gaps: Readonly<Record<TargetName, Readonly<Record<string, Gap>>>> = { ministack, localstack };
