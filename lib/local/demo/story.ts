// Repeats the demo's three acts, and tells what is happening and what to watch.
import type { Chapter } from '../../view/screenSnapshot.ts';
import { byKey, writtenRules } from './operator.ts';
import { acts } from './play.ts';
import { createStage, type StoryOptions, type Waiting } from './stage.ts';

export interface Story {
  /** Current text of the tutorial. */
  chapter(): Chapter;
  /** Lets the story process new progress, so that its chapter matches. */
  look(): Promise<void>;
  /** Resolves after the signal aborts; rejects on an error. */
  readonly ended: Promise<void>;
}

export function startStory(options: StoryOptions): Story {
  const { signal } = options;
  const waiting: Waiting = new Set();
  let chapter: Chapter = { act: 1, title: acts[0].title, watch: 'The first act begins when the cluster is known.' };
  const play = async (act: Chapter['act']) => {
    const { title, play: playAct } = acts[act - 1] ?? acts[0];
    const show: Parameters<typeof createStage>[1]['show'] = (said) => {
      chapter = { act, title, ...said };
    };
    await playAct(createStage(options, { waiting, show }));
    await removeTaintsByKey(options);
  };
  const ended = (async () => {
    while (!signal.aborted) for (const act of [1, 2, 3] as const) if (!signal.aborted) await play(act);
  })();
  return {
    chapter: () => chapter,
    ended,
    async look() {
      for (const one of [...waiting]) one();
      // Gives the act a turn, so that it runs up to its next wait.
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

async function removeTaintsByKey({ cluster, operator }: StoryOptions): Promise<void> {
  for (const { kind, metadata } of writtenRules(cluster))
    if (metadata.labels?.[byKey] !== undefined) await operator.remove(kind, metadata.name);
}
