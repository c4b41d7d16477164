// Variables introduced by macros, innermost first; each has a numbered register at run time.

export class Scope<T = import('./types.ts').Type> {
  readonly #parent: Scope<T> | undefined;
  readonly #names: ReadonlyMap<string, T>;

  constructor(parent: Scope<T> | undefined, names: Iterable<readonly [string, T]>) {
    this.#parent = parent;
    this.#names = new Map(names);
  }

  find(name: string): T | undefined {
    return this.#names.get(name) ?? this.#parent?.find(name);
  }
}
