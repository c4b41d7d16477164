// AWS prices in US dollars: list prices of us-east-1 without the free tier, as of November 2025.

export const prices = {
  /** Amazon SQS, standard queues: per request of up to 64 KB. */
  sqsRequest: 0.4e-6,
  /** AWS Lambda: per invocation. */
  lambdaRequest: 0.2e-6,
  /** AWS Lambda, arm64: per GB and second. */
  lambdaGbSecond: 1.33334e-5,
  /** Amazon DynamoDB, on demand: per write request unit (1 KB). */
  dynamoDbWrite: 0.625e-6,
  /** Amazon DynamoDB, on demand: per read request unit (4 KB, strongly consistent). */
  dynamoDbRead: 0.125e-6,
  /** Amazon DynamoDB: per GB and month, with point-in-time recovery. */
  dynamoDbGbMonth: 0.25 + 0.2,
  /** Amazon CloudWatch Logs: per GB ingested. */
  logsGb: 0.5,
  /** Amazon CloudWatch: per custom metric and month. */
  metricMonth: 0.3,
  /** Amazon CloudWatch: per alarm and month, standard resolution. */
  alarmMonth: 0.1,
  /** Amazon CloudWatch: per dashboard and month. */
  dashboardMonth: 3,
} as const;
