// Limits of an evaluation: CEL's cost units, and work that these units do not cover.
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
  /** Cache for texts compiled during evaluations of one selector; small, since an automaton may be large. */
  readonly recall: Recall = createRecall(16);

  reset(): void {
    this.cost = 0;
    this.#work = 0;
  }

  /** The work announced so far. */
  get worked(): number {
    return this.#work;
  }

  /** Aborts if the cost limit is exceeded; called in loops, since otherwise the limit is checked once, at the end. */
  check(): void {
    if (this.cost > costLimit) throw new Abort('operation cancelled: actual cost limit exceeded');
  }

  /** Announces work before it is done; upstream bounds only its cost units, which would let some texts run for minutes. */
  work(amount: number): void {
    this.#work += amount;
    if (this.#work > workLimit) throw new Abort('operation cancelled: it would take too much work');
  }
}
