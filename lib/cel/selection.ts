// Whether the selectors of a DeviceClass and of a rule select a device.
import type { DeviceValue } from './device.ts';
import type { Position } from './refusal.ts';
import { type Compiled, type CompileOptions, compile } from './selector.ts';

/** API limit on selectors of one class or rule (resource.k8s.io, DeviceSelectorsMaxSize). */
export const maxSelectors = 32;

export interface SelectorTexts {
  readonly deviceClass?: readonly string[];
  readonly rule: readonly string[];
}

/** A selector's origin and its index there, from 0. */
export interface Place {
  readonly of: 'deviceClass' | 'rule';
  readonly index: number;
}

export interface SeenDevice {
  /** From the newest generation of the pool; absent if no slice of it has the device. */
  readonly published?: DeviceValue;
}

export type Selection =
  | { readonly kind: 'Selected' }
  | { readonly kind: 'NotSelected'; readonly by: Place }
  | { readonly kind: 'Failed'; readonly at: Place; readonly reason: string }
  /** No slice publishes it: Sluice must not act on it. */
  | { readonly kind: 'Unknown' };

export interface CompiledSelectors {
  readonly kind: 'Compiled';
  matches(device: SeenDevice): Selection;
}

/** The first unusable selector; then none of them is used. */
export interface RefusedSelectors {
  readonly kind: 'Refused';
  readonly at: Place;
  readonly message: string;
  readonly position: Position;
}

/** Never throws. */
export function compileSelectors(
  texts: SelectorTexts,
  options: CompileOptions = {},
): CompiledSelectors | RefusedSelectors {
  const selectors: Placed[] = [];
  for (const [of, list] of [['deviceClass', texts.deviceClass ?? []] as const, ['rule', texts.rule] as const]) {
    for (const [index, text] of list.entries()) {
      const at: Place = { of, index };
      if (index >= maxSelectors) return { kind: 'Refused', at, ...tooMany };
      const selector = compile(text, options);
      if (selector.kind === 'CompileError') {
        return { kind: 'Refused', at, message: selector.message, position: selector.position };
      }
      selectors.push({ at, selector });
    }
  }
  return { kind: 'Compiled', matches: (device) => selected(selectors, device) };
}

const tooMany = {
  message: `there are more than ${maxSelectors} selectors`,
  position: { offset: 0, line: 1, column: 1 },
};

interface Placed {
  readonly at: Place;
  readonly selector: Compiled;
}

/** Evaluates all selectors, the class's first, and stops at the first that is not true. */
function selected(selectors: readonly Placed[], { published: device }: SeenDevice): Selection {
  if (!device) return { kind: 'Unknown' };
  for (const { at, selector } of selectors) {
    const match = selector.matches(device);
    if (match === false) return { kind: 'NotSelected', by: at };
    if (match !== true) return { kind: 'Failed', at, reason: match.error };
  }
  return { kind: 'Selected' };
}
