// Reports an object to the API server, and has its report repeated: after a throttle by its message, after a failure by the sweep too.
import type { EventMessage, ReportMessage } from '../../model/message.ts';
import { parsePolicyRef } from '../../model/policy.ts';
import { parseTaintSliceRef } from '../../model/taintSlice.ts';
import type { Instant } from '../../model/time.ts';
import { askForReport, beginReport, endReport, planReport, scheduleReport } from '../../state/reportRows.ts';
import type { State } from '../../state/state.ts';
import { modesNow } from '../../steps/ownedSnapshot.ts';
import { reach } from '../../steps/reach.ts';
import type { ClusterAccess, ClusterStepDependencies, ComeBack } from '../../steps/step.ts';
import { reportPolicy } from './reportPolicy.ts';
import { reportRule } from './reportRule.ts';
import { reportTaintSlice } from './reportTaintSlice.ts';

/** Seconds after which a message may come back: less than the time after which a report that has begun is due again. */
const longestReturn = 600;

/** Throws where the API server cannot be reached, so that SQS redelivers the message. */
export async function report(deps: ClusterStepDependencies, message: ReportMessage): Promise<ComeBack | undefined> {
  const reached = await reach(deps, message);
  if (reached.kind !== 'Reached') return undefined;
  const { state, access } = reached;
  const asked = message.plan ? planReport(message.rule) : message.rule;
  const begun = deps.clock.now();
  await beginReport(state, asked, begun);
  const comeBack = await reportObject(deps, state, { message, access, since: begun });
  if (comeBack === undefined) {
    await endReport(state, asked, begun);
    return undefined;
  }
  // A message for a time far away would be received again and again: the sweep sends another one shortly before.
  if (comeBack.seconds > longestReturn) {
    const at = begun + (comeBack.seconds - longestReturn) * 1000;
    await scheduleReport(state, asked, { begun, at });
    return undefined;
  }
  // SQS counts each receive towards the dead-letter queue: of several messages for one object, one comes back.
  const now = deps.clock.now();
  const at = now + comeBack.seconds * 1000;
  // Whole seconds: two messages that wait for the same instant come back up to a second apart.
  return (await askForReport(state, asked, { at, now, slack: 1000 })) === 'Asked' ? comeBack : undefined;
}

async function reportObject(
  deps: ClusterStepDependencies,
  state: State,
  by: { readonly message: ReportMessage; readonly access: ClusterAccess; readonly since: Instant },
): Promise<ComeBack | undefined> {
  const { message, access, since } = by;
  const policy = parsePolicyRef(message.rule);
  if (policy !== undefined) return reportPolicy(deps, state, { name: policy, access });
  const modes = await modesNow(deps, state);
  const taintSlice = parseTaintSliceRef(message.rule);
  if (taintSlice !== undefined) return reportTaintSlice(deps, state, { asked: taintSlice, access, modes });
  return reportRule(deps, state, { message, access, modes, since });
}

/** Records an Event on a pod for another stage. */
export async function recordEvent(deps: ClusterStepDependencies, message: EventMessage): Promise<undefined> {
  const reached = await reach(deps, message);
  if (reached.kind === 'Reached') await reached.access.events.record(message.event);
  return undefined;
}
