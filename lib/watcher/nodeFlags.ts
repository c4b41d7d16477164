// How Node is told to keep the watcher small: a first list is garbage after each page, and by default it grows the heap instead.

/** The image and `npm start` begin with them; the heap ends below the chart's limit of memory. */
export const nodeFlags = ['--max-old-space-size=448', '--max-semi-space-size=2', '--optimize-for-size'] as const;
