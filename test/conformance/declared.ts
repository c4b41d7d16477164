// The differences that are wanted, each with the decision behind it, and how one is told from a defect.
import type { Difference } from './compare.ts';
import { type ClaimState, type History, isAlone } from './history.ts';
import { extendedReferenceOf, names } from './manifests.ts';

export interface Declared {
  readonly name: string;
  /** Page of docs/adr/. */
  readonly adr: string;
  readonly inTree: string;
  readonly sluice: string;
  explains(difference: Difference, history: History): boolean;
}

/** Seconds that fit into a 64-bit count of nanoseconds. */
const longestSeconds = 9_223_372_036;

function claimStates({ world, changes }: History): readonly ClaimState[] {
  return [...world.claims, ...changes.flatMap((change) => (change.kind === 'Claim' ? [change.state] : []))];
}

function overflows(history: History): boolean {
  return claimStates(history).some(({ results }) =>
    results?.some(({ tolerations }) => tolerations.some((one) => (one.tolerationSeconds ?? 0) > longestSeconds)),
  );
}

const evictedPattern = /(\d+) pods? evicted since starting the controller\./;

function withoutDevices(condition: string): string {
  return condition.replace(/\d+ (published|allocated) devices? selected\./g, '$1');
}

function evictedCount(condition: string): number {
  return Number(evictedPattern.exec(condition)?.[1] ?? 0);
}

function pendingCount(condition: string): number {
  return Number(/(\d+) pods? needs? to be evicted/.exec(condition)?.[1] ?? 0);
}

/** The condition without its count of evicted pods, which also decides between two reasons. */
function withoutCount(condition: string): string {
  return condition
    .replace(evictedPattern, '')
    .replace(/ (Completed|NotStarted):/, '')
    .trim();
}

/** Pods by name that hold a claim through an extended resource. */
function extendedPods({ world }: History): readonly string[] {
  return world.pods.flatMap((pod, of) => (extendedReferenceOf(pod) ? [names.pod(of)] : []));
}

export const declared: readonly Declared[] = [
  {
    name: 'extended-resources',
    adr: '0003-upstream-defects.md',
    inTree: 'pods that hold devices through an extended resource are not evicted (#141290, until 1.38)',
    sluice: 'they are evicted like others, as in 1.38; `extendedResourceClaims: false` restores the behaviour of 1.37',
    explains: ({ what, of, inTree, sluice }, history) => {
      const pods = extendedPods(history);
      if (what === 'condition') return pods.length > 0;
      return what === 'pod' && pods.includes(of) && inTree.startsWith('live') && sluice.startsWith('deleted');
    },
  },
  {
    name: 'toleration-beyond-64-bits',
    adr: '0003-upstream-defects.md',
    inTree: 'tolerationSeconds beyond a 64-bit count of nanoseconds overflow: the pod goes at once',
    sluice: 'the pod stays, and its rule continues waiting for it',
    explains: ({ what, inTree, sluice }, history) =>
      overflows(history) &&
      (what === 'condition' ||
        (what === 'pod' && inTree.startsWith('deleted') && sluice.startsWith('live')) ||
        // Early by what Sluice makes of the time.
        (what === 'early' && sluice === 'none')),
  },
  {
    name: 'terminating-pod-counted',
    adr: '0003-upstream-defects.md',
    inTree: 'a pod that a user deleted counts as evicted when its time comes while it is terminating',
    sluice: 'a pod known to be terminating is not counted (row 85 of docs/reference/rules.md, section 7)',
    explains: ({ what, inTree, sluice }, { changes }) => {
      const more = evictedCount(inTree) - evictedCount(sluice);
      const deleted = changes.filter((change) => change.kind === 'PodDeleted').length;
      return what === 'condition' && more > 0 && more <= deleted && withoutCount(inTree) === withoutCount(sluice);
    },
  },
  {
    name: 'pending-not-counted-again',
    adr: '0003-upstream-defects.md',
    inTree: 'a condition that says how many pods need to be evicted stays as it was when a user deletes one of them',
    sluice: 'a pod that is terminating is not pending, and the condition says so',
    explains: ({ what, when, inTree, sluice }, { changes }) =>
      what === 'condition' &&
      when === 'end' &&
      changes.some((change) => change.kind === 'PodDeleted' || change.kind === 'PodAgain') &&
      pendingCount(inTree) > pendingCount(sluice) &&
      evictedCount(inTree) === evictedCount(sluice),
  },
  {
    name: 'preview-computed-again',
    adr: '0003-upstream-defects.md',
    inTree: 'the preview of a rule with effect None is computed once for each of its generations',
    sluice: 'the same at that moment, which is compared; counted again whenever the rule is reported later',
    explains: ({ what, when, inTree, sluice }) =>
      what === 'condition' && when === 'end' && [inTree, sluice].every((one) => one.startsWith('False NoEffect')),
  },
  {
    name: 'preview-of-everything',
    adr: '0003-upstream-defects.md',
    inTree: 'the preview of a rule over every device counts devices of markers that come and go meanwhile',
    sluice: 'the same at a moment of its own: numbers of devices are not compared for such a rule, those of pods are',
    explains: ({ what, inTree, sluice }, history) =>
      what === 'condition' &&
      isAlone(history) &&
      inTree.startsWith('False NoEffect') &&
      withoutDevices(inTree) === withoutDevices(sluice),
  },
];
