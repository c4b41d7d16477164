// Starts a credential plugin in a process group of its own, so that what the plugin has started can be ended with it.
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';

const endings = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The group ends with this process: the terminal sends its signals to the group of this process only. */
export function startInGroup(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  let child: ChildProcess | undefined;
  // Before the start: a signal may come while this process waits for the processor, and would end it without the plugin.
  const stopListening = endings.map((signal) => {
    // Without listeners but those of other plugins, which may end first, the signal ends this process.
    const endsProcess = process.listeners(signal).every(({ name }) => name === 'endPlugin');
    const endPlugin = () => {
      if (child) endGroup(child, 'SIGTERM');
      // This listener has replaced what the signal does by default.
      if (endsProcess) process.kill(process.pid, signal);
    };
    process.once(signal, endPlugin);
    return () => process.off(signal, endPlugin);
  });
  const started = spawn(command, args, { ...options, detached: true });
  child = started;
  const endAll = () => endGroup(started, 'SIGKILL');
  process.once('exit', endAll);
  started.once('close', () => {
    process.off('exit', endAll);
    for (const stop of stopListening) stop();
  });
  return started;
}

export function endGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended by itself.
  }
}
