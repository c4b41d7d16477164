// Replaces the SDK's event streams in the bundles: neither SQS nor DynamoDB has a streaming operation.

/** Used only by operations with an event stream. Throws, because there are none. */
export class EventStreamSerde {
  constructor() {
    throw new Error('event streams are left out of the functions: infra/bundling.ts says what stands in for them');
  }
}
