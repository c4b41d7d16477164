// Stands in for the SDK's event streams in the bundles: neither SQS nor DynamoDB has an operation that streams events.

/** Asked for only by operations that have an event stream. Throws, because there are none. */
export class EventStreamSerde {
  constructor() {
    throw new Error('event streams are left out of the functions: infra/bundling.ts says what stands in for them');
  }
}
