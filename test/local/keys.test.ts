// Keys of a terminal: which of them end the program, and in which order they act.
import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { inTurn, type KeyInput, readKeys } from '../../lib/local/console/keys.ts';

/** A terminal in which an answer is open until a key closes it; the keys that reached the program, and how often it was ended. */
function press(...keys: readonly string[]) {
  const input = Object.assign(new EventEmitter(), {
    isTTY: true,
    setRawMode: () => undefined,
    resume: () => undefined,
    pause: () => undefined,
  });
  const seen: string[] = [];
  let [isOpen, ends] = [true, 0];
  readKeys(input as unknown as KeyInput, {
    onKey(key) {
      seen.push(key);
      const closes = isOpen;
      isOpen = false;
      return closes;
    },
    end: () => {
      ends += 1;
    },
  });
  for (const key of keys) input.emit('data', Buffer.from(key));
  return { seen, ends };
}

it('a terminal that fails when its mode is restored, as a closed one does, does not end the program with an error', () => {
  const input = new EventEmitter();
  const fail = () => input.emit('error', new Error('setRawMode EIO'));
  const idle = () => undefined;
  const terminal = Object.assign(input, { isTTY: true, setRawMode: idle, resume: idle, pause: idle });
  const restore = readKeys(terminal as unknown as KeyInput, { onKey: () => false, end: idle });
  Object.assign(input, { setRawMode: fail });
  expect(restore).not.toThrow();
});

it('q closes an open answer, and only the next q ends the program', () => {
  expect(press('q')).toEqual({ seen: ['q'], ends: 0 });
  expect(press('q', 'q')).toEqual({ seen: ['q', 'q'], ends: 1 });
});

it('Ctrl-C ends the program also while an answer is open', () => {
  expect(press('\u0003')).toEqual({ seen: [], ends: 1 });
});

it.each(['\u001b', '?', '\r'])('the key %j closes an open answer and never ends the program', (key) => {
  expect(press(key, key)).toEqual({ seen: [key, key], ends: 0 });
});

it('keys act one after the other, so that two presses at once change a rate by two steps, and a failed one stops none', async () => {
  let rate = 4;
  const act = inTurn(async (key) => {
    const read = rate;
    await new Promise((resolve) => setImmediate(resolve));
    if (key === 'x') throw new Error('refused');
    rate = read * 2;
  });
  const [first, failed, last] = [act('r'), act('x'), act('r')];
  await expect(failed).rejects.toThrow('refused');
  await Promise.all([first, last]);
  expect(rate).toBe(16);
});
