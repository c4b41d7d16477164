// Counts nesting while a selector is read and refuses what cel-go would: more than 250 levels.
import type { Node } from './ast.ts';
import { Refusal } from './refusal.ts';

/** cel-go's default parser recursion limit, which Kubernetes keeps. */
const limit = 250;

type Rule = 'expression' | 'relation' | 'sum';

/** Two counts, as in cel-go: grammar rules open at once, and operators, fields, indexes and methods on one path. */
export function nesting() {
  const open: Record<Rule, number> = { expression: 0, relation: 0, sum: 0 };
  const depths = new Map<Node, number>();
  const depthOf = (parts: readonly Node[]) => parts.reduce((most, part) => Math.max(most, depths.get(part) ?? 0), 0);

  function record<T extends Node>(node: T, depth: number): T {
    if (depth > limit) throw new Refusal(node.at, `the expression is nested more than ${limit} deep`);
    if (depth > (depths.get(node) ?? 0)) depths.set(node, depth);
    return node;
  }

  return {
    inside<T>(rule: Rule, at: number, read: () => T): T {
      if (++open[rule] > limit) throw new Refusal(at, `the expression is nested more than ${limit} deep`);
      const result = read();
      open[rule]--;
      return result;
    },
    /** A node that adds a nesting level. */
    deeper<T extends Node>(node: T, parts: readonly Node[] = partsOf(node)): T {
      return record(node, depthOf(parts) + 1);
    },
    /** A node as deep as its deepest part. */
    carry<T extends Node>(node: T, parts: readonly Node[]): T {
      return record(node, depthOf(parts));
    },
  };
}

function partsOf(node: Node): readonly Node[] {
  if (node.kind === 'Select') return [node.operand];
  return node.kind === 'Call' ? node.args : [];
}
