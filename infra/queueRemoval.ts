// What happens to a queue that leaves the stack.
import { RemovalPolicy } from 'aws-cdk-lib';
import type { SluiceProps } from './props.ts';

/**
 * Retained by default, because deleting a queue deletes its messages; but not when its creation is rolled back: queues have fixed
 * names, and the next attempt could not create them.
 */
export function queueRemoval({
  removalPolicy = RemovalPolicy.RETAIN,
}: Pick<SluiceProps, 'removalPolicy'>): RemovalPolicy {
  return removalPolicy === RemovalPolicy.RETAIN ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : removalPolicy;
}
