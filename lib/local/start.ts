// Starts a complete local installation for a simulated or real cluster.

import { type LocalChoices, localChoices } from '../config/local.ts';
import type { Config } from '../config/schema.ts';
import type { ClusterConnection } from '../contract.ts';
import type { ConfiguredModes } from '../model/ownership.ts';
import type { Build } from './build.ts';
import { type Installation, startInstallation } from './installation.ts';
import { type LocalCluster, openKubeconfig } from './kubeconfig.ts';
import { createLogFile, type LogFile } from './logFile.ts';
import type { Simulation } from './simulation.ts';

export interface StartOptions {
  readonly build: Build;
  /** A real cluster by kubeconfig, or a simulated one. */
  readonly cluster: { readonly kubeconfig: string } | Simulation;
  /** Chooses the modes of Sluice in this cluster. */
  readonly modes: (connection: ClusterConnection, chosen: LocalChoices) => Promise<ConfiguredModes>;
  /** From sluice.yaml, if there is one. */
  readonly config?: Config;
  /** Project PacedTaintRules to native rules; on a real cluster only if true. */
  readonly projectRules?: boolean;
  readonly onProgress: (text: string) => void;
  /** Log lines of functions and watcher, besides the log file. */
  readonly onLog?: (source: string, line: string) => void;
}

export interface Started {
  readonly installation: Installation;
  readonly logs: LogFile;
  readonly modes: ConfiguredModes;
  stop(): Promise<void>;
}

export async function start(options: StartOptions): Promise<Started> {
  const logs = createLogFile(options.build.logFile, { isTemporary: options.build.isLogTemporary });
  const isReal = !('stop' in options.cluster);
  const stops: (() => Promise<void> | void)[] = [];
  const stopAll = async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
    logs.close();
  };
  try {
    const opened = await openKubeconfig(options.cluster.kubeconfig);
    stops.push(() => opened.stop());
    const chosen = localChoices(options.config, opened.connection.endpoint);
    const modes = await options.modes(opened.connection, chosen);
    const cluster = connectedAs(opened, modes, chosen);
    const { build, onProgress } = options;
    onProgress('Starting queues, table and functions.');
    const projectRules = options.projectRules ?? chosen.settings.projectRules ?? !isReal;
    const installation = await startInstallation({
      cluster,
      settings: { ...chosen.settings, projectRules },
      ...(chosen.recordDays === undefined ? {} : { recordDays: chosen.recordDays }),
      build,
      onLog: (source, line) => {
        logs.write(source, line);
        options.onLog?.(source, line);
      },
    });
    stops.push(() => installation.stop());
    return { installation, logs, modes, stop: stopAll };
  } catch (error) {
    await stopAll();
    throw error;
  }
}

function connectedAs(opened: LocalCluster, modes: ConfiguredModes, chosen: LocalChoices): LocalCluster {
  const { native, paced, ignoresInTree } = modes;
  const { maxEvictionsPerSecond: most } = chosen;
  const limit = most === undefined ? {} : { maxEvictionsPerSecond: most };
  const inTree = ignoresInTree ? 'ignore' : 'heed';
  return { ...opened, connection: { ...opened.connection, native, paced, inTree, ...limit } };
}
