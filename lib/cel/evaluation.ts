// The state of one evaluation: the device, the variables of macros, and the cost so far.
import type { DeviceValue } from './device.ts';
import { Meter } from './meter.ts';
import type { Value } from './values.ts';

/** One compiled node: computes its value, adding its cost. Errors are returned, not thrown. */
export type Step = (run: Evaluation) => Value;

/** Reused for every evaluation of a selector; evaluations never overlap. */
export class Evaluation extends Meter {
  device: DeviceValue;
  /** One per variable; undefined until the variable is first read. */
  readonly registers: (Value | undefined)[];

  constructor(device: DeviceValue, registers: number) {
    super();
    this.device = device;
    this.registers = new Array<Value | undefined>(registers).fill(undefined);
  }

  begin(device: DeviceValue): void {
    this.reset();
    this.device = device;
  }
}
