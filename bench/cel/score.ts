// Counts the test vectors for which each engine agrees with the reference implementation.
import { readFileSync } from 'node:fs';
import { buildDevice, type DeviceFields } from '../../lib/cel/device.ts';
import { compile } from '../../lib/cel/selector.ts';
import { type Engine, type PlainDevice, plainDevice } from './others.ts';

interface Vector {
  readonly name: string;
  readonly expression: string;
  readonly device: DeviceFields;
  readonly expect: boolean | 'compile-error' | 'runtime-error';
}

export interface Score {
  readonly right: number;
  /** Errors for vectors that the reference evaluates. */
  readonly failed: number;
  /** Results that differ from the reference. */
  readonly wrong: number;
}

const vectors = JSON.parse(
  readFileSync(new URL('../../test/cel/vectors.json', import.meta.url), 'utf8'),
) as readonly Vector[];

export function scoreOf(engine: (expression: string, device: PlainDevice) => unknown): Score {
  const score = { right: 0, failed: 0, wrong: 0 };
  for (const { expression, device, expect } of vectors) {
    score[verdict(() => engine(expression, plainDevice(device)), expect)]++;
  }
  return score;
}

function verdict(answer: () => unknown, wanted: Vector['expect']): 'right' | 'failed' | 'wrong' {
  const isError = typeof wanted === 'string';
  try {
    const found = answer();
    if (typeof found !== 'boolean') return isError ? 'right' : 'failed';
    return found === wanted ? 'right' : 'wrong';
  } catch {
    return isError ? 'right' : 'failed';
  }
}

/** Sluice must also distinguish compile-time and run-time errors, which is not required of the others. */
export function ownScore(): Score {
  const right = vectors.filter(({ expression, device, expect }) => {
    const selector = compile(expression);
    if (selector.kind === 'CompileError') return expect === 'compile-error';
    const match = selector.matches(buildDevice(device));
    return (typeof match === 'object' ? 'runtime-error' : match) === expect;
  }).length;
  return { right, failed: 0, wrong: vectors.length - right };
}

/** Adapts an engine that compiles to a function that evaluates text. */
export function evaluating(engineOf: (expression: string) => Engine) {
  return (expression: string, device: PlainDevice): unknown => {
    const engine = engineOf(expression);
    if ('cannot' in engine) throw new Error(engine.cannot);
    return engine(device);
  };
}
