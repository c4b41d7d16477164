// The live terminal view: what it prints and what it leaves on the screen; and shared reads.
import { describe, expect, it } from 'vitest';
import { startTerminal } from '../../lib/local/console/terminal.ts';
import { shareReads } from '../../lib/view/shareReads.ts';
import { aLimiter, aPicture, at } from './pictures.ts';

describe('shared reads', () => {
  it('ten concurrent requests share one read, and the next request reads again', async () => {
    let reads = 0;
    const shared = shareReads(async () => ++reads);
    expect(await Promise.all(Array.from({ length: 10 }, shared))).toEqual(new Array(10).fill(1));
    expect(await shared()).toBe(2);
  });
});

interface Recorded {
  readonly written: string[];
  readonly isTTY: boolean;
  readonly columns: number;
  readonly rows: number;
  write(text: string): void;
}

function recorder(isTTY: boolean): Recorded {
  const written: string[] = [];
  return { written, isTTY, columns: 100, rows: 30, write: (text) => void written.push(text) };
}

/** Each read shows one more evicted pod; the view is stopped after `readings` reads. */
async function show(
  out: Recorded,
  by: { readonly environment?: Record<string, string>; readonly readings?: number; readonly still?: boolean },
): Promise<string> {
  let readings = 0;
  let enough = () => {};
  const done = new Promise<void>((resolve) => {
    enough = resolve;
  });
  const read = async () => {
    readings += 1;
    if (readings === (by.readings ?? 3)) enough();
    const evicted = by.still ? 1 : readings;
    const counts = { evicted, deleting: 1, pending: 0, waiting: 0 };
    const progress = aPicture({
      at: at + readings * 1000,
      limiters: [aLimiter({ counts, total: 9, finishAt: at + 60_000 + readings * 1000 })],
    });
    return { at: progress.at, progress, footer: ['q quit', 'page: http://127.0.0.1:1/'] };
  };
  const environment = by.environment ?? {};
  const view = startTerminal({ read, out, environment, interval: 1 });
  await done;
  await view.stop();
  return out.written.join('');
}

const esc = '\u001b';

describe('the live terminal view', () => {
  it('the view hides the cursor once, restores cursor and screen at the end, and leaves the summary', async () => {
    const text = await show(recorder(true), {});
    expect(text.split(`${esc}[?25l`)).toHaveLength(2);
    expect(text.split(`${esc}[?25h`)).toHaveLength(2);
    expect(text.startsWith(`${esc}[?1049h`)).toBe(true);
    expect(text.indexOf(`${esc}[?1049l`)).toBeLessThan(text.indexOf('Evicted from prod'));
    expect(text.indexOf(`${esc}[?25h`)).toBeLessThan(text.indexOf('Evicted from prod'));
    expect(text).toContain('page: http://127.0.0.1:1/');
  });

  it('each frame is written in one piece over the previous one', async () => {
    const out = recorder(true);
    await show(out, {});
    const pictures = out.written.filter((text) => text.includes(`${esc}[?2026h`));
    expect(pictures.length).toBeGreaterThanOrEqual(3);
    for (const picture of pictures) {
      expect(picture.startsWith(`${esc}[?2026h${esc}[H`)).toBe(true);
      expect(picture.endsWith(`${esc}[J${esc}[?2026l`)).toBe(true);
      expect(picture).not.toContain(`${esc}[2J`);
    }
  });

  it('NO_COLOR removes the colour codes of the view', async () => {
    const plain = await show(recorder(true), { environment: { NO_COLOR: '1' } });
    expect(plain).not.toMatch(/\p{Cc}\[[0-9;]*m/u);
    expect(await show(recorder(true), {})).toMatch(/\p{Cc}\[[0-9;]*m/u);
  });

  it.each([
    ['without a terminal', recorder(false), {}],
    ['in a dumb terminal', recorder(true), { TERM: 'dumb' }],
  ])('the view %s prints a plain line for each change', async (_, out, environment) => {
    const text = await show(out, { environment });
    expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
    expect(text.split('\n')[1]).toBe('09:30:02 bad-gpus 2 of 9 evicted, 1 min left');
  });

  it('a plain line is not printed again while nothing changes', async () => {
    const text = await show(recorder(false), { still: true, readings: 5 });
    expect(text.match(/bad-gpus 1 of 9/g)).toHaveLength(1);
  });

  it('a requested frame is read at once, and one requested during a read is read after it', async () => {
    const out = recorder(true);
    const reads: number[] = [];
    const firstRead = Promise.withResolvers<void>();
    const thirdRead = Promise.withResolvers<void>();
    const read = async () => {
      reads.push(performance.now());
      if (reads.length === 1) firstRead.resolve();
      if (reads.length === 2) view.redraw();
      if (reads.length === 3) thirdRead.resolve();
      return { at, progress: aPicture(), footer: [] };
    };
    const view = startTerminal({ read, out, environment: {}, interval: 3_600_000 });
    await firstRead.promise;
    await new Promise((resolve) => setImmediate(resolve));
    view.redraw();
    await thirdRead.promise;
    await view.stop();
    expect(reads).toHaveLength(3);
  });

  it('the view continues after a failed read', async () => {
    const out = recorder(true);
    let reads = 0;
    const read = async () => {
      reads += 1;
      if (reads === 1) throw new Error('throttled');
      return { at, progress: aPicture(), footer: [] };
    };
    const view = startTerminal({ read, out, environment: {}, interval: 1 });
    await view.stop();
    const again = startTerminal({ read, out, environment: {}, interval: 1 });
    await again.stop();
    expect(out.written.join('')).toMatch(/cannot be read: throttled.*bad-gpus/s);
  });
});
