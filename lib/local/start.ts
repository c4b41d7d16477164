// `sluice start`: the main job on this machine, against a simulated fleet or a real cluster, until it is told to stop.

import type { ClusterConnection } from '../contract.ts';
import type { ConfiguredModes } from '../model/ownership.ts';
import type { Build } from './build.ts';
import { checkServer } from './checkServer.ts';
import { type Installation, startInstallation } from './installation.ts';
import { type LocalCluster, openKubeconfig } from './kubeconfig.ts';
import { createLogFile, type LogFile } from './logFile.ts';
import { type Simulation, startSimulation } from './simulation.ts';

export interface StartOptions {
  readonly build: Build;
  /** A real cluster; absent: the simulated fleet. */
  readonly kubeconfig?: string;
  /** Who acts on which taints of this cluster. */
  readonly modes: (connection: ClusterConnection) => Promise<ConfiguredModes>;
  /** Native rules are written for PacedTaintRules; on a real cluster only if this says so. */
  readonly projectRules?: boolean;
  readonly onProgress: (text: string) => void;
}

export interface Started {
  readonly installation: Installation;
  readonly simulation?: Simulation;
  readonly logs: LogFile;
  readonly modes: ConfiguredModes;
  stop(): Promise<void>;
}

export async function start(options: StartOptions): Promise<Started> {
  const logs = createLogFile(options.build.logFile);
  const simulation = options.kubeconfig === undefined ? await startSimulation() : undefined;
  const stops: (() => Promise<void> | void)[] = simulation ? [() => simulation.stop()] : [];
  const stopAll = async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
    logs.close();
  };
  try {
    const opened = await openKubeconfig(options.kubeconfig ?? simulation?.kubeconfig ?? '');
    stops.push(() => opened.stop());
    if (options.kubeconfig !== undefined) await checkServer(opened.connection, options.kubeconfig);
    const modes = await options.modes(opened.connection);
    const cluster: LocalCluster = { ...opened, connection: { ...opened.connection, ...connectionModes(modes) } };
    const { build, onProgress } = options;
    onProgress('starting queues, table and functions');
    const settings = { projectRules: options.projectRules ?? options.kubeconfig === undefined };
    const installation = await startInstallation({ cluster, settings, build, onProgress, onLog: logs.write });
    stops.push(() => installation.stop());
    return { installation, logs, modes, stop: stopAll, ...(simulation ? { simulation } : {}) };
  } catch (error) {
    await stopAll();
    throw error;
  }
}

function connectionModes({ native, paced, ignoresInTree }: ConfiguredModes) {
  return { native, paced, inTree: ignoresInTree ? 'ignore' : 'heed' } as const;
}
