// The digest of a plan, with which a person approves exactly that plan; computed pod by pod, without storing the pods.
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Uid } from '../model/identity.ts';
import type { TaintRule } from '../model/rule.ts';

/** Hex digits of a digest; enough that digests of two plans do not collide by accident. */
const digits = 12;

/** Eight 32-bit words: the sum of the SHA-256 of pod UIDs, independent of their order. */
export type PodSum = readonly number[];

export const noPodSum: PodSum = [0, 0, 0, 0, 0, 0, 0, 0];

export function addPod(sum: PodSum, pod: Uid): PodSum {
  const { buffer, byteOffset } = sha256(utf8ToBytes(pod));
  const words = new DataView(buffer, byteOffset);
  return sum.map((word, i) => (word + words.getUint32(4 * i)) >>> 0);
}

/** SHA-256 over rule UID, generation, the sum of the plan's pods, and the deleted policies, if any. */
export function digestOf(
  rule: Pick<TaintRule, 'uid' | 'generation'>,
  pods: PodSum,
  without: readonly string[] = [],
): string {
  const text = [rule.uid, String(rule.generation), pods.join(' '), ...without].join('\n');
  return bytesToHex(sha256(utf8ToBytes(text))).slice(0, digits);
}
