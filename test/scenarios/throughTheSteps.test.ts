// The scenario table and random histories through the real steps: their outcome is that of the pure core.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { histories, settings } from '../support/arbitraries.ts';
import { Driver } from './driver.ts';
import { stamp } from './play.ts';
import type { Event, History, Step } from './scenario.ts';
import { scenarios } from './scenarios.ts';
import { type Outcome, StepsDriver } from './throughTheSteps.ts';

/** Long enough for a retry by the sweep and the condition that follows. */
const rest = 150;

/** The longest toleration and the farthest taint of a random history, and a sweep. */
const longest = 1400;

function ended(driver: Driver): Outcome {
  const conditions = driver.snapshot().rules.map((rule): [string, string] => {
    const last = driver.conditions.get(rule.uid)?.at(-1);
    return [rule.name, last ? `${last.status} ${last.reason}: ${last.message}` : 'none'];
  });
  return {
    deleted: driver.api.deletedUids.toSorted(),
    cancelled: driver.messages.filter((message) => message.startsWith('Cancelling deletion')).length,
    conditions: Object.fromEntries(conditions.sort()),
  };
}

/** Plays one history with both drivers; `repeat` tells each change twice. */
async function both(history: History, repeat: boolean): Promise<[pure: Outcome, steps: Outcome]> {
  const pure = new Driver(history.settings, history.finalized);
  const steps = new StepsDriver(history.settings, history.finalized);
  const { given, steps: stamped } = stamp(history);
  const all: readonly Step[] = [{ events: given.map((object) => ({ type: 'Put', object })), expect: {} }, ...stamped];
  for (const step of all) {
    pure.api.failures = [...(step.failures ?? [])];
    steps.fail(step.failures ?? []);
    await tellBoth(pure, steps, { step, repeat });
    if (step.held) continue;
    pure.settle(pure.now + (step.advance ?? 0) * 1000);
    await steps.run(step.advance ?? 0);
  }
  pure.settle(pure.now + rest * 1000);
  await steps.run(rest);
  return [ended(pure), steps.outcome()];
}

async function tellBoth(pure: Driver, steps: StepsDriver, by: { step: Step; repeat: boolean }): Promise<void> {
  const { events = [], unseen = [] } = by.step;
  for (const event of [...events, ...unseen]) {
    pure.api.happen(event);
    steps.happen(event);
  }
  for (const event of by.repeat ? events.flatMap((one) => [one, one]) : events) {
    pure.tell(event);
    await steps.tell(event);
  }
}

const told = scenarios.flatMap((scenario) =>
  scenario.kind === 'History' && !scenario.once && !scenario.steps.some((step) => step.afterMark) ? [scenario] : [],
);

describe('the real steps', () => {
  it.each(told.map((history) => [history.name, history] as const))(
    'the steps have the outcome of the pure core: %s',
    async (_, history) => {
      for (const repeat of [false, true]) {
        const [pure, steps] = await both(history, repeat);
        expect(steps).toEqual(pure);
      }
    },
  );

  it('the steps have the outcome of the pure core after any history, in any order and with every change twice', async () => {
    const late = histories.chain((history) =>
      fc.tuple(
        fc.constant(history),
        fc.shuffledSubarray([...history, ...history], { minLength: history.length * 2 }),
        settings,
      ),
    );
    await fc.assert(
      fc.asyncProperty(late, async ([history, again, chosen]) => {
        const pure = new Driver(chosen);
        const steps = new StepsDriver(chosen);
        for (const event of history) {
          pure.api.happen(event);
          steps.happen(event);
        }
        await tellAll(steps, again);
        for (const event of again) pure.tell(event);
        pure.settle(pure.now + longest * 1000);
        await steps.run(longest);
        expect(settled(steps.outcome())).toEqual(settled(ended(pure)));
      }),
      { numRuns: 200 },
    );
  });
});

/** Without what depends on the order of events: Events of cancelled plans, and counts that are made only once. */
function settled({ deleted, conditions }: Outcome): Omit<Outcome, 'cancelled'> {
  const lasting = Object.entries(conditions).filter(([, text]) => !text.includes('NoEffect'));
  return { deleted, conditions: Object.fromEntries(lasting) };
}

async function tellAll(steps: StepsDriver, events: readonly Event[]): Promise<void> {
  for (const event of events) await steps.tell(event);
}
