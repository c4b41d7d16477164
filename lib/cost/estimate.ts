// The monthly cost of an installation, line by line.
import { prices } from './prices.ts';
import { type Fleet, usageOf } from './usage.ts';

export interface CostLine {
  readonly service: string;
  /** The billed unit, such as `write request units`. */
  readonly what: string;
  readonly amount: number;
  readonly dollars: number;
}

export interface Estimate {
  readonly lines: readonly CostLine[];
  /** US dollars per month. */
  readonly dollars: number;
}

export function estimate(fleet: Fleet): Estimate {
  const usage = usageOf(fleet);
  const line = (service: string, what: string, by: { amount: number; price: number }): CostLine => ({
    service,
    what,
    amount: by.amount,
    dollars: by.amount * by.price,
  });
  const lines = [
    line('Amazon SQS', 'requests', { amount: usage.sqsRequests, price: prices.sqsRequest }),
    line('AWS Lambda', 'invocations', { amount: usage.lambdaRequests, price: prices.lambdaRequest }),
    line('AWS Lambda', 'GB-seconds', { amount: usage.lambdaGbSeconds, price: prices.lambdaGbSecond }),
    line('Amazon DynamoDB', 'write request units', { amount: usage.dynamoDbWrites, price: prices.dynamoDbWrite }),
    line('Amazon DynamoDB', 'read request units', { amount: usage.dynamoDbReads, price: prices.dynamoDbRead }),
    line('Amazon DynamoDB', 'GB stored', { amount: usage.dynamoDbGb, price: prices.dynamoDbGbMonth }),
    line('Amazon CloudWatch', 'GB of logs', { amount: usage.logsGb, price: prices.logsGb }),
    line('Amazon CloudWatch', 'metrics', { amount: usage.metrics, price: prices.metricMonth }),
    line('Amazon CloudWatch', 'alarms', { amount: usage.alarms, price: prices.alarmMonth }),
    line('Amazon CloudWatch', 'dashboards', { amount: usage.dashboards, price: prices.dashboardMonth }),
  ];
  return { lines, dollars: lines.reduce((sum, one) => sum + one.dollars, 0) };
}
