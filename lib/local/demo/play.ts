// The three acts of the demo step by step, with a sentence about what to watch.
import { pausePrefix } from '../../decide/pauses.ts';
import { noteText } from '../../model/note.ts';
import type { Milliseconds } from '../../model/time.ts';
import { isMoving } from '../../view/stateLabel.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { listAt, textAt } from '../cluster/object.ts';
import {
  agentsInDoubt,
  badDriver,
  brokenGpu,
  brokenGpuPolicy,
  canaryHold,
  canaryPods,
  doubtful,
  driverCanary,
  gpuDriver,
  nodesForBadDriver,
} from './acts.ts';
import { readDevices } from './devices.ts';
import { chatNode, driverVersions, workloads } from './fleet.ts';
import { endOf, followRule, limiterOf, type Stage, uidOf } from './stage.ts';

const reading: Milliseconds = 5000;
const doubtFor: Milliseconds = 20_000;
const stopFor: Milliseconds = 6000;
/** Maximum time from the opening of a window to the first eviction. */
const windowSeen: Milliseconds = 5000;

const never = () => false;

const ended = {
  Completed: 'Done.',
  Deleted: 'The rule was deleted.',
  Kept: 'No pod was evicted for two minutes.',
} as const;

async function playBadDriver(stage: Stage): Promise<void> {
  const { operator, clock } = stage;
  const nodes = nodesForBadDriver(readDevices(stage.cluster));
  stage.say(`Someone rolls out GPU driver ${driverVersions.bad} to ${nodes.length} nodes. It is a bad version.`);
  await operator.apply(driverCanary);
  for (const slice of gpuDriver(nodes, 'bad')) await operator.apply(slice);
  await stage.wait(never, reading);
  await operator.apply(badDriver);
  const uid = uidOf(stage, 'pacedtaintrules', 'bad-driver');
  const counts = () => limiterOf(stage, uid)?.counts ?? { evicted: 0, deleting: 0 };
  const end = () => endOf(stage, 'pacedtaintrules', 'bad-driver', uid);
  const isOver = () => end() !== undefined;
  stage.say('Watch: a CEL expression finds the devices. Three canary pods are evicted first, then Sluice waits.');
  const isHeld = () => limiterOf(stage, uid)?.heldBecause !== undefined;
  const hasPassed = () => counts().evicted + counts().deleting > canaryPods || isOver();
  await stage.wait(() => (counts().evicted >= canaryPods && isHeld()) || hasPassed());
  const heldFrom = limiterOf(stage, uid)?.lastEvictionAt ?? clock.now();
  stage.say('Watch: the canary holds. Nothing else is evicted until it passes.', heldFrom + canaryHold);
  await stage.wait(() => !isHeld() || hasPassed(), canaryHold * 4);
  const evicting =
    'Watch: Sluice evicts the other pods at the rate of the rule. They start again on good nodes. r and R change the rate.';
  await followRule(stage, { isHeld, isOver }, evicting);
  const next = end() === 'Deleted' ? 'the driver is rolled back' : 'the driver is rolled back and the rule is deleted';
  stage.say(`${ended[end() ?? 'Kept']} Next, ${next}.`, clock.now() + reading);
  await stage.wait(never, reading);
  for (const slice of gpuDriver(nodes, 'good')) await operator.apply(slice);
  await operator.remove('PacedTaintRule', 'bad-driver');
}

async function playDoubtfulAgent(stage: Stage): Promise<void> {
  const { operator, clock } = stage;
  const { rack, manifest } = doubtful(readDevices(stage.cluster));
  stage.say(`A health agent is about to report half of the TPUs in pool ${rack} unhealthy, all at once.`);
  await operator.apply(agentsInDoubt);
  await stage.wait(never, reading);
  await operator.apply(manifest);
  const until = clock.now() + doubtFor;
  stage.say('Watch: so many at once may be a broken agent, so Sluice holds them. Press a to approve.', until);
  const slice = () => stage.progress()?.limiters.find(({ limiter }) => limiter.includes('example.com/unhealthy'));
  const begun = clock.now();
  const isApproved = () => (slice()?.counts.deleting ?? 0) > 0 || (slice()?.lastEvictionAt ?? 0) > begun;
  const isSettled = () => {
    const shown = slice();
    return shown === undefined || !isMoving(shown);
  };
  await stage.wait(isApproved, doubtFor);
  if (isApproved()) {
    stage.say('Approved: Sluice evicts the pods at the rate of the policy.');
    await stage.wait(isSettled);
  }
  await operator.remove('DeviceTaintSlice', 'tpu-health-agent');
  stage.say('The agent takes its taints back.');
  // A person may approve at the last moment, and the numbers show it a second later.
  await stage.wait(isSettled, reading);
  const outcome = isApproved() ? 'The agent was right this time.' : 'Not one pod was evicted.';
  stage.say(`The agent takes its taints back. ${outcome}`, clock.now() + reading);
  await stage.wait(never, reading);
}

async function playBrokenGpu(stage: Stage): Promise<void> {
  const { operator, clock, cluster } = stage;
  const { manifest, opensAt } = brokenGpuPolicy(clock.now());
  await operator.apply(manifest);
  await stage.wait(() => isAccepted(cluster), reading);
  await operator.apply(brokenGpu);
  const uid = uidOf(stage, 'devicetaintrules', 'broken-gpus');
  const limiter = () => limiterOf(stage, uid);
  stage.say(
    'A node has broken GPUs. Watch: its pods may only be evicted in a window, which opens with the next minute. Until then: press w, or open the page.',
    opensAt,
  );
  const hasBegun = () => (limiter()?.counts.evicted ?? 0) > 0;
  const isOpen = () => clock.now() >= opensAt;
  // A stop of all evictions may last beyond the opening.
  await stage.wait(() => hasBegun() || isOpen(), opensAt - clock.now());
  const opened = isOpen() ? 'the window is open now' : 'the window of the policy was changed, so evictions begin now';
  stage.say(`Watch: ${opened}. ${budget}`);
  await stage.wait(hasBegun, windowSeen);
  await stage.wait(() => (limiter()?.counts.evicted ?? 0) > 1, 10_000);
  await pauseRule(stage, noteText({ why: 'chats fail', by: 'on-call', at: clock.now() }));
  stage.say('Watch: someone stops the rule. No pod is evicted from now on.', clock.now() + stopFor);
  await stage.wait(never, stopFor);
  await pauseRule(stage, null);
  const isHeld = () => limiter()?.heldBecause !== undefined;
  const end = () => endOf(stage, 'devicetaintrules', 'broken-gpus', uid);
  await stage.wait(() => !isHeld(), reading);
  const evicting = `Resumed. ${budget} A pod that the budget keeps is tried again after 10 seconds, then after 20.`;
  await followRule(stage, { isHeld, isOver: () => end() !== undefined }, evicting);
  const why = ended[end() ?? 'Kept'];
  const deleted = end() === 'Deleted' ? '' : ', the rule is deleted';
  await operator.remove('DeviceTaintRule', 'broken-gpus');
  const next = `The GPUs are repaired${deleted}, and team serving moves its pods back to that node.`;
  stage.say(`${why} ${next} The three acts begin again.`, clock.now() + reading);
  await moveBack(stage);
  await stage.wait(never, reading);
}

const budget = 'The budget of team serving lets two pods be away at a time.';

/** Maximum time for `moveBack`; two pods at a time need about ten seconds. */
const moveFor: Milliseconds = 30_000;

/** Moves the pods back to their first node within their budget, so that the next round finds as many pods there. */
export async function moveBack({ cluster, operator, clock, signal, wait }: Stage): Promise<void> {
  const { app } = workloads.find(({ firstNode }) => firstNode !== undefined) ?? {};
  const pods = cluster.store.list(cluster.resource('pods')).filter(({ metadata }) => metadata.labels?.app === app);
  const away = pods.filter((pod) => textAt(pod, 'spec', 'nodeName') !== chatNode);
  const end = clock.now() + moveFor;
  while (!signal.aborted && clock.now() < end) {
    while (away[0] && (await operator.evictPod(away[0]))) away.shift();
    if (away.length === 0) return;
    await wait(never, 1000);
  }
}

/** `null` ends the pause. */
async function pauseRule({ cluster, operator }: Stage, note: string | null): Promise<void> {
  const rule = cluster.store.get(cluster.resource('devicetaintrules'), 'broken-gpus');
  if (rule) await operator.annotate(rule, { [`${pausePrefix}incident`]: note });
}

function isAccepted(cluster: Cluster): boolean {
  const policy = cluster.store.get(cluster.resource('evictionpolicies'), 'broken-gpus');
  return listAt(policy, 'status', 'conditions').length > 0;
}

export const acts = [
  { title: 'A bad driver version', play: playBadDriver },
  { title: 'A health agent in doubt', play: playDoubtfulAgent },
  { title: 'Broken GPUs, a budget, a window and a stop', play: playBrokenGpu },
] as const;
