// Pods in the portions that one message of the reconcile queue carries.

const chunkSize = 100;

export function chunksOf(pods: readonly string[]): readonly (readonly string[])[] {
  return Array.from({ length: Math.ceil(pods.length / chunkSize) }, (_, i) =>
    pods.slice(i * chunkSize, (i + 1) * chunkSize),
  );
}
