// An evaluation error that no operator or macro may absorb.

/** Thrown when a limit is exceeded, or where upstream's evaluator itself panics. */
export class Abort extends Error {}
