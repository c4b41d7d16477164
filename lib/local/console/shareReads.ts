// Requests that come while a reading is under way share it: a page in ten tabs costs what one costs.

export function shareReads<T>(read: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | undefined;
  return () => {
    underWay ??= read().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
}
