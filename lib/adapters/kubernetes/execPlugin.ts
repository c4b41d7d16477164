// Watches the credential plugins that a kubeconfig starts: one that is slow is told once, and one that hangs is ended.
import { spawn } from 'node:child_process';
import type { KubeConfig } from '@kubernetes/client-node';
import type { Milliseconds } from '../../model/time.ts';

export interface PluginWatch {
  /** Called once for a plugin that does not answer for a while. */
  readonly say?: (text: string) => void;
  /** Default: 2 s. */
  readonly slowAfter?: Milliseconds;
  /** Default: 30 s. */
  readonly within?: Milliseconds;
}

/** client-node has no limit for a plugin, and hides its process. */
export function watchPlugins(config: KubeConfig, watch: PluginWatch = {}): KubeConfig {
  const { authenticators } = config as unknown as { authenticators: readonly { execFn?: typeof start }[] };
  const start = (command: string, args: readonly string[] = [], options: object = {}) =>
    watched(command, spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] }), watch);
  for (const one of authenticators) if (one.execFn) one.execFn = start;
  return config;
}

function watched(command: string, child: ReturnType<typeof spawn>, watch: PluginWatch) {
  const { say, slowAfter = 2000, within = 30_000 } = watch;
  const slow = setTimeout(
    () => say?.(`credential plugin ${command} has not answered yet; it has ${within / 1000} s`),
    slowAfter,
  );
  const late = setTimeout(() => {
    const why = `credential plugin ${command} did not answer within ${within / 1000} s: run it by hand to see what it waits for`;
    child.emit('error', new Error(why));
    child.kill('SIGKILL');
    // A process that it has started may hold these open.
    child.stdout?.destroy();
    child.stderr?.destroy();
  }, within);
  child.once('close', () => {
    clearTimeout(slow);
    clearTimeout(late);
  });
  return child;
}
