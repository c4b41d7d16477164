// What an evaluation may spend: CEL's cost units, and work that those units do not see.
import { createRecall, type Recall } from '../model/recall.ts';
import { Abort } from './abort.ts';

/** Run-time cost limit of a DRA selector (resource.k8s.io, CELSelectorExpressionMaxCost). */
export const costLimit = 1_000_000;

/** Elements copied, characters produced or automaton steps taken in one evaluation; about 100 ms at worst. */
const workLimit = 4_000_000;

/** Counts up while an expression runs. Cost follows cel-go's tracker and the Kubernetes library costs. */
export class Meter {
  cost = 0;
  #work = 0;
  /** What evaluations of one selector compile of texts that are known only then; an automaton may be large. */
  readonly recall: Recall = createRecall(16);

  reset(): void {
    this.cost = 0;
    this.#work = 0;
  }

  /** What `work` has announced so far. */
  get worked(): number {
    return this.#work;
  }

  /** Stops a loop; outside loops the limit is looked at once, when the expression has finished. */
  check(): void {
    if (this.cost > costLimit) throw new Abort('operation cancelled: actual cost limit exceeded');
  }

  /** Announces work before it is done; upstream bounds only its cost units, which would let some texts run for minutes. */
  work(amount: number): void {
    this.#work += amount;
    if (this.#work > workLimit) throw new Abort('operation cancelled: it would take too much work');
  }
}
