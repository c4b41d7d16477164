// Construct of an installation: table, stages, sweep, grants, alarms and dashboard.
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
 * Paced eviction of pods from tainted devices, for one or more clusters. One per stack: queues are named after the stack, so
 * that watchers can be configured before their queue exists.
 */
export class Sluice extends Construct {
  readonly table: TableV2;
  readonly stages: Readonly<Record<StageName, Stage>>;
  /** Queues with resend requests to watchers, by cluster. */
  readonly resendQueues: ReadonlyMap<string, Queue>;
  /** Roles created for `workloadIdentity`, by cluster. */
  readonly podRoles: ReadonlyMap<string, Partial<Record<ServiceAccount, Role>>>;
  readonly sweep: NodejsFunction;
  /** Renders the progress widget of the dashboard. */
  readonly widget: NodejsFunction;
  readonly dashboard: Dashboard;

  /** Throws if `props` are invalid, with all problems. */
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

  /** Queue that the watcher of `cluster` sends to. Throws for an unknown cluster. */
  ingestQueue(cluster: string): QueuePair {
    const pair = this.stages.ingest.queues.get(cluster);
    if (pair) return pair;
    const known = [...this.stages.ingest.queues.keys()].join(', ');
    throw new Error(`Sluice: there is no cluster "${cluster}", only ${known}`);
  }

  /** Allows a watcher to send changes of `cluster` and to receive resend requests, nothing else. */
  grantWatcher(cluster: string, grantee: IGrantable): Grant {
    const sends = this.ingestQueue(cluster).queue.grant(grantee, 'sqs:SendMessage');
    const asked = this.resendQueues.get(cluster);
    return asked ? sends.combine(grantAnswering(asked, grantee)) : sends;
  }

  private createResend(props: SluiceProps, cluster: string): Queue {
    return createResendQueue(new Construct(this, `Resend-${cluster}`), props, cluster);
  }

  /** One of Sluice's metrics, for custom dashboards and alarms. */
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

  /** Invoked by the CloudWatch console with the viewer's credentials; no other caller is granted access. */
  private createWidget(props: SluiceProps): NodejsFunction {
    const told = toldOf(props, { tableName: this.table.tableName, callsClusters: false });
    const scope = new Construct(this, 'Widget');
    return createFunction(scope, props, { name: 'widget', ...widgetLimits, ...told, callsClusters: false });
  }

  /** Grants and environment of one function. */
  private connect(name: FunctionName, { encryptionKey: key, emulator = false }: SluiceProps): void {
    const sender = name === 'sweep' || name === 'widget' ? this[name] : this.stages[name].function;
    grantTable(this.table, sender, { name, key });
    for (const queue of this.queuesOfClusters(name)) grantSend(queue, sender, { emulator });
    for (const receiver of sendsTo[name]) {
      for (const { queue } of this.stages[receiver].queues.values()) grantSend(queue, sender, { emulator });
      sender.addEnvironment(queueVariables[receiver], this.stages[receiver].queue.queue.queueUrl);
    }
  }

  /** Per-cluster queues that a function sends to. */
  private queuesOfClusters(name: FunctionName): readonly IQueue[] {
    const ingest = [...this.stages.ingest.queues.values()].map(({ queue }) => queue);
    // A fan-out that outlasts an invocation continues in another one.
    if (name === 'ingest') return [...this.resendQueues.values(), ...ingest];
    return name === 'sweep' ? ingest : [];
  }

  /**
   * Grants an outbound cluster's executor: receive that cluster's evict and report messages, and the functions' actions on the
   * cluster's rows. Its rights at the API server come from its service account; AWS has no credentials for that API server.
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

  /** Environment of the executor, for the chart value `executor.environment`. */
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
