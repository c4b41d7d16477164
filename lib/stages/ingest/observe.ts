// Detects mass taints that suggest an observer failure, before any pod is evaluated for them.

import { agentTaintsOf } from '../../decide/taintSlice.ts';
import { candidatesOf, isWatchedFor, mayBeWaves, wavesOf } from '../../decide/wave.ts';
import { addCounts, type Candidate, nothingCounted } from '../../decide/waveCounts.ts';
import { isHeldWave } from '../../decide/waveHold.ts';
import { recallOf, remembered } from '../../memory.ts';
import type { EvictionPolicy } from '../../model/policy.ts';
import { poolsOf } from '../../model/snapshot.ts';
import type { Instant } from '../../model/time.ts';
import { type Wave, waveKey } from '../../model/wave.ts';
import { currentRuleSet } from '../../state/currentRules.ts';
import { openFanOut } from '../../state/fanOutRows.ts';
import { publishedPages } from '../../state/sliceRows.ts';
import { readAllStanding } from '../../state/standingRows.ts';
import type { State } from '../../state/state.ts';
import { readWaves, writeWaves } from '../../state/waveRows.ts';

/** Attempts; another one means that rows changed in the meantime, or another writer wrote first. */
const attempts = 5;

export interface Look {
  /** Names of the policies whose status must change. */
  readonly policies: readonly string[];
  /** A wave no longer holds its taints: the pods pending because of it must be evaluated again. */
  readonly isReleased: boolean;
}

interface Looks {
  readonly running: Promise<Look>;
  /** Has not started yet: callers that arrive in the meantime wait for this one. */
  readonly next?: Promise<Look>;
}

/**
 * `WhereWatched`: does nothing while no policy has an observer; `Always` also ends the waves of policies that had one.
 * Slices arrive in bursts: one look that starts after all of them serves all, and only the first caller gets its result.
 */
export async function observe(state: State, when: When, now: Instant): Promise<Look> {
  const looks = remembered<Looks>(state.memory, `looks for waves ${when}`);
  const known = looks.get(state.cluster);
  if (known?.next) {
    await known.next;
    return nothingSeen;
  }
  const begin = () => {
    const running = lookOnce(state, when, now).finally(() => {
      if (looks.get(state.cluster)?.next === undefined) looks.delete(state.cluster);
    });
    looks.set(state.cluster, { running });
    return running;
  };
  if (!known) return begin();
  const next = known.running.then(begin, begin);
  looks.set(state.cluster, { ...known, next });
  return next;
}

type When = 'WhereWatched' | 'Always';

const nothingSeen: Look = { policies: [], isReleased: false };

async function lookOnce(state: State, when: When, now: Instant): Promise<Look> {
  const look = { policies: new Set<string>(), isReleased: false };
  for (let attempt = 0; attempt < attempts; attempt++) {
    const { policies, classes } = await currentRuleSet(state);
    const isWatched = policies.some(({ observer }) => observer);
    if (!isWatched && when === 'WhereWatched') return lookedAt(look);
    const known = await readWaves(state);
    if (!isWatched && known.length === 0) return lookedAt(look);
    const standing = await readAllStanding(state, (device, seen) => isWatchedFor(device, seen, policies));
    const before = known.map(({ wave }) => wave);
    const watched = { standing, classes, policies, known: before };
    const waves = mayBeWaves(watched) ? await lookFor(state, candidatesOf(watched)) : [];
    compare(look, { before, waves, policies });
    // If this handler is interrupted after the write below, the pending pods are found through the fan-out.
    if (look.isReleased) await openFanOut(state, { cause: 'waves#', epoch: String(now), reaches: [{}] }, now);
    // Rows that changed during the look may have made it wrong, and nothing else would repeat it, so look again after each write.
    if ((await writeWaves(state, known, waves)) === 'Nothing') return lookedAt(look);
  }
  throw new Error(`the taints that policies watch moved under ${attempts} looks at them; the message is retried`);
}

function lookedAt({
  policies,
  isReleased,
}: {
  readonly policies: ReadonlySet<string>;
  readonly isReleased: boolean;
}): Look {
  return { policies: [...policies], isReleased };
}

/** Reads everything that is published, but holds only a few pools in memory. */
async function lookFor(state: State, candidates: readonly Candidate[]): Promise<readonly Wave[]> {
  const recall = recallOf(state.memory);
  let counts = nothingCounted;
  for await (const { slices, taintSlices } of publishedPages(state)) {
    const pools = poolsOf(slices);
    counts = addCounts(counts, candidates, { pools, agentTaints: agentTaintsOf(taintSlices, pools), recall });
  }
  return wavesOf(candidates, counts);
}

function compare(
  look: { readonly policies: Set<string>; isReleased: boolean },
  by: {
    readonly before: readonly Wave[];
    readonly waves: readonly Wave[];
    readonly policies: readonly EvictionPolicy[];
  },
): void {
  const isHeld = (wave: Wave | undefined) =>
    wave !== undefined &&
    isHeldWave(
      wave,
      by.policies.find(({ name }) => name === wave.policy),
    );
  const [before, after] = [by.before, by.waves].map((waves) => new Map(waves.map((wave) => [waveKey(wave), wave])));
  for (const wave of [...by.before, ...by.waves]) {
    const [was, is] = [before?.get(waveKey(wave)), after?.get(waveKey(wave))];
    if (isHeld(was) && is && !isHeld(is)) look.isReleased = true;
    if (isHeld(was) !== isHeld(is) || was?.offers.length !== is?.offers.length) look.policies.add(wave.policy);
  }
}
