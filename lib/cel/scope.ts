// Variables that macros introduce, innermost first; each lives in one numbered slot while the expression runs.

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
