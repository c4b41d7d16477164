// Starts a credential plugin in a process group of its own, so that what the plugin has started can be ended with it.
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';

const endings = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The group ends with this process: the terminal sends its signals to the group of this process only. */
export function startInGroup(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  const child = spawn(command, args, { ...options, detached: true });
  const stopListening = endings.map((signal) => {
    // Without listeners but those of other plugins, which may end first, the signal ends this process.
    const endsProcess = process.listeners(signal).every(({ name }) => name === 'endPlugin');
    const endPlugin = () => {
      endGroup(child, 'SIGTERM');
      // This listener has replaced what the signal does by default.
      if (endsProcess) process.kill(process.pid, signal);
    };
    process.once(signal, endPlugin);
    return () => process.off(signal, endPlugin);
  });
  const endAll = () => endGroup(child, 'SIGKILL');
  process.once('exit', endAll);
  child.once('close', () => {
    process.off('exit', endAll);
    for (const stop of stopListening) stop();
  });
  return child;
}

export function endGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended by itself.
  }
}
