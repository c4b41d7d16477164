// Evaluates the pods of a message and sends the results to the other stages.
import type { EvaluateMessage } from '../../model/message.ts';
import { announce } from '../../steps/announce.ts';
import { evaluatePods } from '../../steps/evaluatePods.ts';
import { finishChunk } from '../../steps/fanOut.ts';
import type { StepDependencies } from '../../steps/step.ts';

export async function evaluate(deps: StepDependencies, message: EvaluateMessage): Promise<void> {
  const state = { table: deps.table, cluster: message.cluster, memory: deps.memory };
  const evaluated = await evaluatePods(deps, { state, pods: message.pods });
  await announce(deps, state, evaluated);
  if (message.chunk) await finishChunk(deps, state, message.chunk);
}
