// Wraps every call of a port, for example to count, delay or fail it.

/** May run the call or not; `name`: name of the method. */
export type Around = <T>(name: string, call: () => Promise<T>, args: readonly unknown[]) => Promise<T>;

export function aroundCalls<P extends object>(port: P, around: Around): P {
  return new Proxy(port, {
    get(target, name, receiver) {
      const method: unknown = Reflect.get(target, name, receiver);
      if (typeof method !== 'function') return method;
      return (...args: readonly unknown[]) =>
        around(String(name), () => Reflect.apply(method, target, args) as Promise<unknown>, args);
    },
  });
}
