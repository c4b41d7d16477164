// Account of the embedded AWS: one region, one account id, and credentials that are not checked.

export const localRegion = 'us-east-1';
export const localAccount = '000000000000';

/** Arbitrary values; the embedded AWS checks none. */
export const localCredentials = { accessKeyId: 'local', secretAccessKey: 'local' } as const;

/** Environment variables for a process whose AWS clients must use the embedded queues and table. */
export function clientEnvironmentOf(at: { readonly sqs: string; readonly dynamoDb: string }) {
  return {
    AWS_REGION: localRegion,
    AWS_ACCESS_KEY_ID: localCredentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: localCredentials.secretAccessKey,
    AWS_ENDPOINT_URL_SQS: at.sqs,
    AWS_ENDPOINT_URL_DYNAMODB: at.dynamoDb,
  };
}

export function arnOf(service: 'sqs' | 'dynamodb' | 'lambda' | 'events', resource: string): string {
  return `arn:aws:${service}:${localRegion}:${localAccount}:${resource}`;
}
