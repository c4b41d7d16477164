// The account that the embedded AWS plays: one region, one number, credentials that are not checked.

export const localRegion = 'us-east-1';
export const localAccount = '000000000000';

/** Any value will do; none of them is checked. */
export const localCredentials = { accessKeyId: 'local', secretAccessKey: 'local' } as const;

export function arnOf(service: 'sqs' | 'dynamodb' | 'lambda' | 'events', resource: string): string {
  return `arn:aws:${service}:${localRegion}:${localAccount}:${resource}`;
}
