// The installation: every stage, the table, the schedule, and who may send to whom.
import { CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs';
import { Construct } from 'constructs';
import { environmentNames as names, type Stage as StageName, sweepLimits } from '../lib/contract.ts';
import { alarmOnCluster, alarmOnFunction, alarmOnTable } from './alarms.ts';
import { createDashboard, tableThrottles } from './dashboard.ts';
import type { SluiceProps } from './props.ts';
import { createFunction, Stage } from './stage.ts';
import { createStateTable, grantState } from './stateTable.ts';

/** Nobody sends to the queue that triggered it. */
const sendsTo: Readonly<Record<StageName | 'sweep', readonly Exclude<StageName, 'ingest'>[]>> = {
  ingest: ['reconcile', 'pace', 'evict', 'report'],
  reconcile: ['pace', 'evict', 'report'],
  pace: ['evict'],
  evict: ['pace', 'report'],
  report: [],
  sweep: ['reconcile', 'pace', 'report'],
};

const queueVariables = {
  reconcile: names.reconcileQueueUrl,
  pace: names.paceQueueUrl,
  evict: names.evictQueueUrl,
  report: names.reportQueueUrl,
} as const;

/** Paced eviction of pods from tainted devices, for any number of clusters. */
export class Sluice extends Construct {
  readonly table: TableV2;
  readonly stages: Readonly<Record<StageName, Stage>>;
  readonly sweep: NodejsFunction;

  constructor(scope: Construct, id: string, props: SluiceProps) {
    super(scope, id);
    checkClusters(props);
    this.table = createStateTable(this, props);
    this.stages = this.createStages(props);
    this.sweep = this.createSweep(props);
    this.grant();
    alarmOnTable(this, props, tableThrottles(this.table));
    for (const { name } of props.clusters) alarmOnCluster(new Construct(this, `Cluster-${name}`), props, name);
    createDashboard(this, {
      clusters: props.clusters.map((one) => one.name),
      stages: Object.values(this.stages),
      table: this.table,
    });
    this.createOutputs(props);
  }

  private createStages(props: SluiceProps): Readonly<Record<StageName, Stage>> {
    const environment = {
      [names.table]: this.table.tableName,
      [names.clusters]: JSON.stringify(
        Object.fromEntries(props.clusters.map(({ name, ...connection }) => [name, connection])),
      ),
    };
    const { stackName } = Stack.of(this);
    const ingestQueues = Object.fromEntries(
      props.clusters.map(({ name }) => [`Queue-${name}`, `${stackName}-ingest-${name}`]),
    );
    const byName = JSON.stringify(
      Object.fromEntries(props.clusters.map(({ name }) => [`${stackName}-ingest-${name}`, name])),
    );
    const stage = (name: StageName, id: string, callsClusters: boolean) =>
      new Stage(this, id, {
        ...props,
        stage: {
          name,
          callsClusters,
          queues: name === 'ingest' ? ingestQueues : { Queue: undefined },
          environment: name === 'ingest' ? { ...environment, [names.ingestQueues]: byName } : environment,
        },
      });
    return {
      ingest: stage('ingest', 'Ingest', false),
      reconcile: stage('reconcile', 'Reconcile', false),
      pace: stage('pace', 'Pace', false),
      evict: stage('evict', 'Evict', true),
      report: stage('report', 'Report', true),
    };
  }

  private createSweep(props: SluiceProps): NodejsFunction {
    const scope = new Construct(this, 'Sweep');
    const clusters = Object.fromEntries(props.clusters.map(({ name, ...connection }) => [name, connection]));
    const environment = { [names.table]: this.table.tableName, [names.clusters]: JSON.stringify(clusters) };
    const sweep = createFunction(scope, props, { name: 'sweep', ...sweepLimits, environment, callsClusters: false });
    alarmOnFunction(scope, props, { name: 'sweep', function: sweep });
    const schedule = Schedule.rate(Duration.minutes(sweepLimits.everyMinutes));
    new Rule(scope, 'EveryMinute', {
      schedule,
      targets: [new LambdaFunction(sweep, { retryAttempts: 2, maxEventAge: Duration.minutes(5) })],
    });
    return sweep;
  }

  private grant(): void {
    const functions = {
      ...Object.fromEntries(Object.entries(this.stages).map(([name, stage]) => [name, stage.function])),
      sweep: this.sweep,
    };
    for (const [name, receivers] of Object.entries(sendsTo)) {
      const sender = functions[name as keyof typeof functions];
      if (!sender) continue;
      grantState(this.table, sender);
      for (const receiver of receivers) {
        const queue = this.stages[receiver].queues[0];
        if (!queue) continue;
        queue.grant(sender, 'sqs:SendMessage');
        sender.addEnvironment(queueVariables[receiver], queue.queueUrl);
      }
    }
  }

  private createOutputs(props: SluiceProps): void {
    new CfnOutput(this, 'TableName', { value: this.table.tableName });
    for (const [i, { name }] of props.clusters.entries()) {
      const queue = this.stages.ingest.queues[i];
      if (queue) new CfnOutput(this, `IngestQueueUrl-${name}`, { value: queue.queueUrl });
    }
  }
}

function checkClusters({ clusters }: SluiceProps): void {
  if (clusters.length === 0) throw new Error('Sluice: `clusters` is empty; name at least one cluster');
  for (const { name, endpoint } of clusters) {
    if (!/^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/.test(name)) {
      throw new Error(`Sluice: cluster name "${name}" must be lower-case letters, digits and dashes, at most 40`);
    }
    if (!/^https:\/\//.test(endpoint))
      throw new Error(`Sluice: cluster ${name}: endpoint "${endpoint}" must begin with https://`);
  }
  const names = clusters.map((one) => one.name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice) throw new Error(`Sluice: cluster name "${twice}" is used twice`);
}
