// Stack with one installation, and outputs for users and tests.
import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { executorRoleOutput, outputNameOf, releaseOutput, watcherRoleOutput } from '../lib/outputs.ts';
import { isOutbound } from './environment.ts';
import type { SluiceProps } from './props.ts';
import type { QueuePair } from './queuePair.ts';
import { Sluice } from './sluice.ts';

export interface SluiceStackProps extends StackProps {
  readonly sluice: SluiceProps | ((stack: Stack) => SluiceProps);
  /** Deployed release, for the output `Release`. */
  readonly release?: string;
}

export class SluiceStack extends Stack {
  readonly sluice: Sluice;

  /** `sluice` may be a function of the stack, for resources imported into the stack. */
  constructor(scope: Construct, id: string, props: SluiceStackProps) {
    super(scope, id, props);
    const sluice = typeof props.sluice === 'function' ? props.sluice(this) : props.sluice;
    this.sluice = new Sluice(this, 'Sluice', sluice);
    this.output('TableName', this.sluice.table.tableName);
    this.output('DashboardName', this.sluice.dashboard.dashboardName);
    this.output('SweepFunctionName', this.sluice.sweep.functionName);
    this.output('WidgetFunctionName', this.sluice.widget.functionName);
    for (const stage of Object.values(this.sluice.stages)) {
      this.output(`${stage.node.id}FunctionName`, stage.function.functionName);
      for (const [cluster, pair] of stage.queues)
        this.outputQueues(`${stage.node.id}Queue`, outputNameOf(cluster), pair);
    }
    for (const cluster of sluice.clusters.filter(isOutbound)) {
      const environment = this.sluice.executorEnvironment(cluster, sluice);
      this.output(`ExecutorEnvironment${outputNameOf(cluster.name)}`, this.toJsonString(environment));
      const arn = this.sluice.podRoles.get(cluster.name)?.['sluice-executor']?.roleArn ?? cluster.executorRoleArn;
      if (arn !== undefined) this.output(executorRoleOutput(cluster.name), arn);
    }
    for (const [cluster, { 'sluice-watcher': watcher }] of this.sluice.podRoles)
      if (watcher) this.output(watcherRoleOutput(cluster), watcher.roleArn);
    if (props.release !== undefined) this.output(releaseOutput, props.release);
  }

  /** Outputs such as `IngestQueueUrlProd` and `IngestQueueDeadLettersUrlProd`; without a cluster, `EvaluateQueueUrl`. */
  private outputQueues(name: string, cluster: string, pair: QueuePair): void {
    this.output(`${name}Url${cluster}`, pair.queue.queueUrl);
    this.output(`${name}DeadLettersUrl${cluster}`, pair.deadLetterQueue.queueUrl);
  }

  private output(name: string, value: string): void {
    new CfnOutput(this, name, { value });
  }
}
