// Looks whether so many devices are tainted alike that their observer is in doubt; before any pod is evaluated for them.

import { agentTaintsOf } from '../../decide/taintSlice.ts';
import { mayBeWaves, wavesOf } from '../../decide/wave.ts';
import { isHeldWave } from '../../decide/waveHold.ts';
import type { EvictionPolicy } from '../../model/policy.ts';
import { poolsOf } from '../../model/snapshot.ts';
import type { Instant } from '../../model/time.ts';
import { type Wave, waveKey } from '../../model/wave.ts';
import { openFanOut } from '../../state/fanOutRows.ts';
import { currentRuleSet } from '../../state/neighbourhood.ts';
import { readAllPools } from '../../state/sliceRows.ts';
import { readAllStanding } from '../../state/standingRows.ts';
import type { State } from '../../state/state.ts';
import { readWaves, writeWaves } from '../../state/waveRows.ts';

/** Each further one means that something moved meanwhile, or another writer wrote first. */
const attempts = 5;

export interface Look {
  /** Names of the policies that have something else to say. */
  readonly policies: readonly string[];
  /** A wave holds no longer what it held: pods that wait for it have to be evaluated again. */
  readonly isReleased: boolean;
}

/** `WhereWatched`: no wave is looked for, and none is read, while no policy watches; `Always` also ends those of policies that did. */
export async function observe(state: State, when: 'WhereWatched' | 'Always', now: Instant): Promise<Look> {
  const look = { policies: new Set<string>(), isReleased: false };
  for (let attempt = 0; attempt < attempts; attempt++) {
    const { policies, classes } = await currentRuleSet(state);
    const isWatched = policies.some(({ observer }) => observer);
    if (!isWatched && when === 'WhereWatched') return lookedAt(look);
    const known = await readWaves(state);
    if (!isWatched && known.length === 0) return lookedAt(look);
    const standing = await readAllStanding(state);
    const before = known.map(({ wave }) => wave);
    const waves = mayBeWaves({ standing, policies, known: before })
      ? wavesOf({ ...(await readPublished(state)), standing, classes, policies, known: before })
      : [];
    compare(look, { before, waves, policies });
    // A handler that ends between the two has sent no message to the waiting pods.
    if (look.isReleased) await openFanOut(state, { cause: 'waves#', epoch: String(now), reaches: [{}] }, now);
    // A look at rows that were moving may be wrong, and no one else need look after it: hence once more after each write.
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

async function readPublished(state: State) {
  const { slices, taintSlices } = await readAllPools(state);
  const pools = poolsOf(slices);
  return { pools, agentTaints: agentTaintsOf(taintSlices, pools) };
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
