// The installation: table, stages, sweep; who may send to whom; alarms and dashboard.
import { Duration, Stack } from 'aws-cdk-lib';
import type { Dashboard, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { ArnPrincipal, type Grant, type IGrantable, Role } from 'aws-cdk-lib/aws-iam';
import type { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs';
import type { IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import {
  clusterStages,
  environmentNames,
  type Stage as StageName,
  sweepLimits,
  widgetLimits,
} from '../lib/contract.ts';
import type { MetricName } from '../lib/metrics.ts';
import type { ServiceAccount } from '../lib/outputs.ts';
import { createAccessEntries } from './access.ts';
import { alarmOnCluster, alarmOnInstallation, alarmOnSweep } from './alarms.ts';
import { checkProps, placeOf } from './checks.ts';
import { grantRowsOf } from './clusterRows.ts';
import { createDashboard } from './dashboard.ts';
import { ingestQueuesOf, isOutbound, queueNamesOf, queueVariables, toldOf } from './environment.ts';
import { createFunction } from './function.ts';
import { type FunctionName, grantConsume, grantSend, grantTable, sendsTo } from './grants.ts';
import { sluiceMetric } from './metrics.ts';
import { accept } from './nag.ts';
import { createPodRole } from './podRole.ts';
import type { ClusterProps, SluiceProps } from './props.ts';
import type { QueuePair } from './queuePair.ts';
import { createResendQueue, grantAnswering } from './resendQueue.ts';
import { Stage } from './stage.ts';
import { createStateTable } from './stateTable.ts';

/**
 * Paced eviction of pods from tainted devices, for one or many clusters. One per stack: its queues are named after the
 * stack, so that watchers can be told their queue before it exists.
 */
export class Sluice extends Construct {
  readonly table: TableV2;
  readonly stages: Readonly<Record<StageName, Stage>>;
  /** By cluster: what its watcher is asked to send again. */
  readonly resendQueues: ReadonlyMap<string, Queue>;
  /** By cluster: the roles that were made for pods (`workloadIdentity`). */
  readonly podRoles: ReadonlyMap<string, Partial<Record<ServiceAccount, Role>>>;
  readonly sweep: NodejsFunction;
  /** Draws the picture of a cluster on the dashboard. */
  readonly widget: NodejsFunction;
  readonly dashboard: Dashboard;

  /** Throws where `props` cannot be deployed, with everything that is wrong. */
  constructor(scope: Construct, id: string, props: SluiceProps) {
    super(scope, id);
    checkProps(placeOf(Stack.of(this)), props);
    this.table = createStateTable(this, props);
    this.stages = {
      ingest: this.createStage(props, 'ingest', false),
      evaluate: this.createStage(props, 'evaluate', false),
      evict: this.createStage(props, 'evict', true),
      report: this.createStage(props, 'report', true),
    };
    this.resendQueues = new Map(props.clusters.map(({ name }) => [name, this.createResend(props, name)]));
    this.sweep = this.createSweep(props);
    this.widget = this.createWidget(props);
    for (const name of Object.keys(sendsTo) as FunctionName[]) this.connect(name, props);
    alarmOnInstallation(this, props, this.table);
    this.podRoles = new Map(props.clusters.map((cluster) => [cluster.name, this.createCluster(cluster, props)]));
    this.dashboard = createDashboard(this, {
      clusters: props.clusters.map((one) => one.name),
      stages: Object.values(this.stages),
      sweep: this.sweep,
      widget: this.widget,
      table: this.table,
    });
  }

  /** The queue that the watcher of `cluster` sends to. Throws for a cluster that is not of this installation. */
  ingestQueue(cluster: string): QueuePair {
    const pair = this.stages.ingest.queues.get(cluster);
    if (pair) return pair;
    const known = [...this.stages.ingest.queues.keys()].join(', ');
    throw new Error(`Sluice: there is no cluster "${cluster}", only ${known}`);
  }

  /** Lets a watcher send what it sees of `cluster` and take what it is asked for, and nothing else. */
  grantWatcher(cluster: string, grantee: IGrantable): Grant {
    const sends = this.ingestQueue(cluster).queue.grant(grantee, 'sqs:SendMessage');
    const asked = this.resendQueues.get(cluster);
    return asked ? sends.combine(grantAnswering(asked, grantee)) : sends;
  }

  private createResend(props: SluiceProps, cluster: string): Queue {
    return createResendQueue(new Construct(this, `Resend-${cluster}`), props, cluster);
  }

  /** One of Sluice's own metrics, for a dashboard or an alarm of one's own. */
  metric(name: MetricName, cluster: string): Metric {
    return sluiceMetric(name, this.ingestQueue(cluster) && cluster);
  }

  private createStage(props: SluiceProps, name: StageName, callsClusters: boolean): Stage {
    const { stackName } = Stack.of(this);
    const ingestQueues = name === 'ingest' ? { ingestQueues: ingestQueuesOf(stackName, props.clusters) } : {};
    return new Stage(this, name.charAt(0).toUpperCase() + name.slice(1), {
      ...props,
      stage: {
        name,
        callsClusters,
        queueNames: queueNamesOf(stackName, name, props.clusters),
        ...toldOf(props, { tableName: this.table.tableName, callsClusters, ...ingestQueues }),
      },
    });
  }

  private createSweep(props: SluiceProps): NodejsFunction {
    const scope = new Construct(this, 'Sweep');
    const told = toldOf(props, { tableName: this.table.tableName, callsClusters: false });
    const sweep = createFunction(scope, props, { name: 'sweep', ...sweepLimits, ...told, callsClusters: false });
    alarmOnSweep(scope, props, sweep);
    for (const { name: cluster } of props.clusters) {
      const event = RuleTargetInput.fromObject({ cluster });
      const rule = new Rule(scope, `EveryMinute-${cluster}`, {
        schedule: Schedule.rate(Duration.minutes(sweepLimits.everyMinutes)),
        targets: [new LambdaFunction(sweep, { event, retryAttempts: 2, maxEventAge: Duration.minutes(5) })],
      });
      accept(rule, 'ruleWithoutDeadLetters');
    }
    return sweep;
  }

  /** Asked by the console, as the person who looks; no one else is allowed to. */
  private createWidget(props: SluiceProps): NodejsFunction {
    const told = toldOf(props, { tableName: this.table.tableName, callsClusters: false });
    const scope = new Construct(this, 'Widget');
    return createFunction(scope, props, { name: 'widget', ...widgetLimits, ...told, callsClusters: false });
  }

  /** What one function may do, and what it is told for it. */
  private connect(name: FunctionName, { encryptionKey: key, emulator = false }: SluiceProps): void {
    const sender = name === 'sweep' || name === 'widget' ? this[name] : this.stages[name].function;
    grantTable(this.table, sender, { name, key });
    for (const queue of this.queuesOfClusters(name)) grantSend(queue, sender, { emulator });
    for (const receiver of sendsTo[name]) {
      for (const { queue } of this.stages[receiver].queues.values()) grantSend(queue, sender, { emulator });
      sender.addEnvironment(queueVariables[receiver], this.stages[receiver].queue.queue.queueUrl);
    }
  }

  /** Those of each cluster alone that a function sends to. */
  private queuesOfClusters(name: FunctionName): readonly IQueue[] {
    const ingest = [...this.stages.ingest.queues.values()].map(({ queue }) => queue);
    // A fan-out that takes longer than an invocation continues in another one.
    if (name === 'ingest') return [...this.resendQueues.values(), ...ingest];
    return name === 'sweep' ? ingest : [];
  }

  /**
   * What the process in an outbound cluster may do: take that cluster's evict and report messages, and do with them what the
   * functions would. Of the API server it knows what its service account may do there, and AWS holds no credential for it.
   */
  grantExecutor(cluster: string, grantee: IGrantable, { encryptionKey: key, emulator = false }: SluiceProps): void {
    for (const name of clusterStages) {
      const pair = this.stages[name].queues.get(cluster);
      if (!pair) throw new Error(`Sluice: cluster "${cluster}" is not outbound: set its auth.kind`);
      grantConsume(pair.queue, grantee, { emulator });
      grantSend(pair.queue, grantee, { emulator });
    }
    grantRowsOf(cluster, { table: this.table, grantee, key });
  }

  /** The environment of that process; the watcher's chart takes it as `executor.environment`. */
  executorEnvironment(cluster: ClusterProps, props: SluiceProps): Readonly<Record<string, string>> {
    const queues = clusterStages.map((name) => [queueVariables[name], this.stages[name].queue.queue.queueUrl] as const);
    const told = toldOf({ ...props, clusters: [cluster] }, { tableName: this.table.tableName, callsClusters: false });
    return { ...told.environment, ...Object.fromEntries(queues), [environmentNames.outboundCluster]: cluster.name };
  }

  private createCluster(cluster: ClusterProps, props: SluiceProps): Partial<Record<ServiceAccount, Role>> {
    const { name, auth, accessEntry, watcherRoleArn, executorRoleArn, workloadIdentity } = cluster;
    const scope = new Construct(this, `Cluster-${name}`);
    if (executorRoleArn !== undefined)
      this.grantExecutor(name, Role.fromRoleArn(scope, 'Executor', executorRoleArn), props);
    alarmOnCluster(scope, props, name);
    if (accessEntry && auth.kind === 'eks') {
      const { evict, report } = this.stages;
      createAccessEntries(scope, auth.clusterName, { evict: evict.function.role, report: report.function.role });
    }
    if (watcherRoleArn !== undefined) this.grantWatcher(name, new ArnPrincipal(watcherRoleArn));
    if (workloadIdentity === undefined) return {};
    const make = (account: ServiceAccount) => createPodRole(new Construct(scope, account), account, workloadIdentity);
    const watcher = make('sluice-watcher');
    this.grantWatcher(name, watcher);
    if (!isOutbound(cluster)) return { 'sluice-watcher': watcher };
    const executor = make('sluice-executor');
    this.grantExecutor(name, executor, props);
    return { 'sluice-watcher': watcher, 'sluice-executor': executor };
  }
}
