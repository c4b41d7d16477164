// Node flags that keep the watcher's memory small: pages of a first list become garbage quickly, but by default Node grows the heap instead
// of collecting it.

/** Used by the image and `npm start`; the heap limit is below the chart's memory limit. */
export const nodeFlags = ['--max-old-space-size=448', '--max-semi-space-size=2', '--optimize-for-size'] as const;
