// Waits for something that a cluster does in its own time.

/** Asks again until the probe finds something; fails after `timeout` milliseconds, naming what was asked. */
export async function waitFor<T>(probe: () => Promise<T | undefined>, timeout = 20_000): Promise<T> {
  const until = performance.now() + timeout;
  for (;;) {
    const found = await probe();
    if (found !== undefined) return found;
    if (performance.now() > until) throw new Error(`nothing found within ${timeout} ms: ${probe}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
