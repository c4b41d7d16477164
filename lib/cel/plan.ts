// Compiles a checked expression into closures and folds constants where cel-go does, so that evaluation only computes.
import type { Call, Fold, Ident, ListLiteral, MapLiteral, Node, OptionalMap, Select } from './ast.ts';
import { type Attribute, isKey, type Qualifier, qualified } from './attribute.ts';
import { callPlan } from './call.ts';
import { attributePlan, chainOf, chosen, keyStep } from './chains.ts';
import type { Checked } from './check.ts';
import { listPlan, mapPlan } from './construct.ts';
import type { Step } from './evaluation.ts';
import { accumulatorStep, foldStep } from './fold.ts';
import { conjunction, disjunction, equation, optionalMapStep, optionalVariable, orElse } from './logic.ts';
import { throughNative } from './native.ts';
import { constantPlan, type Plan } from './planned.ts';
import { Refusal } from './refusal.ts';
import { Scope } from './scope.ts';
import { CelType } from './values.ts';

export interface Program {
  readonly step: Step;
  /** Variables that need a register. */
  readonly registers: number;
}

interface Variable {
  readonly step: Step;
}

export interface PlanOptions {
  readonly nativeOptionals: boolean;
  readonly laxAlternatives: boolean;
}

/** The given variables are in the first registers; a program without any reads the device. */
export function plan(checked: Checked, options: PlanOptions, variables: readonly string[] = []): Program {
  const planner = new Planner(checked, options);
  const given = variables.map((name) => [name, { step: registerStep(planner.registers++) }] as const);
  const { step } = planner.plan(checked.root, given.length === 0 ? undefined : new Scope<Variable>(undefined, given));
  return { step, registers: planner.registers };
}

class Planner {
  readonly #checked: Checked;
  readonly #options: PlanOptions;
  registers = 0;

  constructor(checked: Checked, options: PlanOptions) {
    this.#checked = checked;
    this.#options = options;
  }

  /** An attribute as a plan; with `nativeOptionals` a bare value passes through its native form. */
  #attribute(attribute: Attribute): Plan {
    const made = attributePlan(attribute);
    const isBare = attribute.kind === 'Choice' || attribute.qualifiers.length === 0;
    return isBare && this.#options.nativeOptionals ? { ...made, step: nativeStep(made.step) } : made;
  }

  plan(node: Node, scope: Scope<Variable> | undefined): Plan {
    const type = this.#checked.typeValues.get(node);
    if (type) return constantPlan(new CelType(type.name));
    switch (node.kind) {
      case 'Literal':
        return constantPlan(node.value);
      case 'Ident':
        return this.#ident(node, scope);
      case 'Select':
        return this.#select(node, scope);
      case 'Call':
        return this.#call(node, scope);
      case 'List':
        return this.#list(node, scope);
      case 'Map':
        return this.#map(node, scope);
      case 'Fold':
        return this.#fold(node, scope);
      case 'OptionalMap':
        return this.#optionalMap(node, scope);
    }
  }

  #ident(node: Ident, scope: Scope<Variable> | undefined): Plan {
    const local = scope?.find(node.name);
    const base: Step = local?.step ?? ((run) => run.device.value);
    return this.#attribute({ kind: 'Chain', base, qualifiers: [], ofDevice: local === undefined });
  }

  #select(node: Select, scope: Scope<Variable> | undefined): Plan {
    const key = { constant: node.field };
    const qualifier: Qualifier = { key, optional: false, testOnly: node.testOnly };
    return attributePlan(qualified(this.#chain(node.operand, scope), qualifier));
  }

  /** The chain of a node, or a new chain that starts at its value. */
  #chain(node: Node, scope: Scope<Variable> | undefined): Attribute {
    return chainOf(this.plan(node, scope));
  }

  #call(node: Call, scope: Scope<Variable> | undefined): Plan {
    switch (node.name) {
      case '_&&_':
        return { step: conjunction(this.#steps(node.args, scope)) };
      case '_||_':
        return { step: disjunction(this.#steps(node.args, scope)) };
      case '_?_:_':
        return this.#choice(node, scope);
      case '_[_]':
      case '_[?_]':
      case '_?._':
        return this.#index(node, scope);
      default:
        return this.#function(node, scope);
    }
  }

  #steps(nodes: readonly Node[], scope: Scope<Variable> | undefined): readonly Step[] {
    return nodes.map((node) => this.plan(node, scope).step);
  }

  #choice(node: Call, scope: Scope<Variable> | undefined): Plan {
    const [condition, yes, no] = node.args.map((arg) => this.plan(arg, scope));
    if (!condition || !yes || !no) throw new Refusal(node.at, 'a conditional needs three parts');
    const [whenTrue, whenFalse] = [chainOf(yes), chainOf(no)];
    return this.#attribute({ kind: 'Choice', condition: condition.step, whenTrue, whenFalse });
  }

  #index(node: Call, scope: Scope<Variable> | undefined): Plan {
    const [operand, index] = node.args;
    if (!operand || !index) throw new Refusal(node.at, 'an index needs two parts');
    const chain = this.#chain(operand, scope);
    const key = this.plan(index, scope);
    if (key.constant !== undefined && !isKey(key.constant))
      throw new Refusal(index.at, 'a key of this type is not supported');
    const optional = node.name !== '_[_]';
    const qualifier = key.constant === undefined ? { step: keyStep(key) } : { constant: key.constant };
    return attributePlan(qualified(chain, { key: qualifier, optional, testOnly: false }));
  }

  #function(node: Call, scope: Scope<Variable> | undefined): Plan {
    const call = this.#checked.calls.get(node);
    if (!call) throw new Refusal(node.at, `undeclared reference to function '${node.name}'`);
    const args = call.args.map((arg) => this.plan(arg, scope));
    const [first, second] = args;
    if (first && second && (node.name === '_==_' || node.name === '_!=_')) {
      return { step: equation(first, second, node.name === '_==_') };
    }
    if (first && second && (call.declaration.name === 'or' || call.declaration.name === 'orValue')) {
      const options = { unwrap: call.declaration.name === 'orValue', lax: this.#options.laxAlternatives };
      return { step: orElse(first.step, second.step, options) };
    }
    return callPlan({ at: node.at, call, args });
  }

  #list(node: ListLiteral, scope: Scope<Variable> | undefined): Plan {
    return listPlan(node.elements.map(({ value, optional }) => ({ value: this.plan(value, scope), optional })));
  }

  #map(node: MapLiteral, scope: Scope<Variable> | undefined): Plan {
    const entries = node.entries.map(({ key, value, optional }) => {
      return { key: this.plan(key, scope), value: this.plan(value, scope), optional };
    });
    return mapPlan(node.at, entries);
  }

  #fold(node: Fold, scope: Scope<Variable> | undefined): Plan {
    const init = this.plan(node.init, scope).step;
    const range = this.plan(node.range, scope).step;
    const [accuRegister, iterRegister] = [this.registers++, this.registers++];
    const iterRegister2 = node.iterVar2 === undefined ? undefined : this.registers++;
    const outer = new Scope<Variable>(scope, [[node.accuVar, { step: accumulatorStep(accuRegister, init) }]]);
    const inner = new Scope<Variable>(outer, [
      [node.iterVar, { step: registerStep(iterRegister) }],
      ...(node.iterVar2 === undefined ? [] : [[node.iterVar2, { step: registerStep(iterRegister2 ?? 0) }] as const]),
    ]);
    const condition = this.plan(node.condition, inner).step;
    const step = this.plan(node.step, inner).step;
    const result = this.plan(node.result, outer).step;
    return { step: foldStep({ range, condition, step, result, accuRegister, iterRegister, iterRegister2 }) };
  }

  #optionalMap(node: OptionalMap, scope: Scope<Variable> | undefined): Plan {
    const target = this.plan(node.target, scope).step;
    const registers = { waiting: this.registers++, cost: this.registers++, read: this.registers++ };
    const inner = new Scope<Variable>(scope, [[node.variable, { step: optionalVariable(registers) }]]);
    const body = this.plan(node.body, inner).step;
    const made = chosen(optionalMapStep({ target, registers, body, flat: node.flat }));
    return this.#options.nativeOptionals ? { ...made, step: nativeStep(made.step) } : made;
  }
}

function nativeStep(step: Step): Step {
  return (run) => throughNative(step(run));
}

function registerStep(register: number): Step {
  return (run) => run.registers[register] ?? null;
}
