// Random numbers that depend on a seed alone, so that a history can be played again.

export interface Random {
  /** From 0 up to, not including, 1. */
  next(): number;
  /** A whole number from 0 up to, not including, `below`. */
  int(below: number): number;
  chance(probability: number): boolean;
  pick<T>(from: readonly T[]): T;
  /** An independent sequence: the draws of one part do not change those of another. */
  fork(label: string): Random;
}

/** sfc32 (PractRand), seeded through splitmix32. */
export function createRandom(seed: number): Random {
  let [a, b, c, d] = [mixed(seed), mixed(seed + 1), mixed(seed + 2), 1];
  const next = () => {
    const t = (a + b + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + t;
    return (t >>> 0) / 2 ** 32;
  };
  for (let i = 0; i < 12; i++) next();
  const random: Random = {
    next,
    int: (below) => Math.floor(next() * below),
    chance: (probability) => next() < probability,
    pick(from) {
      const found = from[random.int(from.length)];
      if (found === undefined) throw new Error('there is nothing to pick from');
      return found;
    },
    fork: (label) => createRandom(seed ^ [...label].reduce((hash, letter) => mixed(hash ^ letter.charCodeAt(0)), 17)),
  };
  return random;
}

function mixed(value: number): number {
  let x = (value + 0x9e3779b9) | 0;
  x = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
  x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
  return x ^ (x >>> 15);
}
