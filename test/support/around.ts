// Puts something around every call of a port: a count, a pause, a failure before it or after it.

/** Runs the call, or does not; `name` is the method's. */
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
