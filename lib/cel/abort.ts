// How an evaluation ends that nothing may absorb.

/** Thrown when a budget is spent, or where upstream's evaluator itself panics. */
export class Abort extends Error {}
