// The bundled program as a process, with an emulated state table that has a heartbeat of the cluster prod.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createDynamoDbTable } from '../../../lib/adapters/dynamodb/dynamoDbTable.ts';
import { clusterIdOf } from '../../../lib/model/identity.ts';
import { noteIncarnation } from '../../../lib/state/incarnationRows.ts';
import { storeHeartbeat } from '../../../lib/state/liveness.ts';
import type { State } from '../../../lib/state/state.ts';
import { bundleInChunks } from '../../../scripts/commandBundle.ts';
import { type EmulatedTable, startTable } from '../../support/emulators.ts';
import { liveIncarnation } from '../../support/fakes/liveCluster.ts';
import type { Said } from './scene.ts';

export interface TableScene {
  readonly state: State;
  /** The folder with the bundle in `program/`. */
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  sluice(...words: string[]): Promise<Said>;
  /** With additional environment variables. */
  run(env: Readonly<Record<string, string>>, ...words: string[]): Promise<Said>;
  stop(): Promise<void>;
}

export async function startTableScene(more: () => Readonly<Record<string, string>> = () => ({})): Promise<TableScene> {
  const emulated: EmulatedTable = await startTable('table');
  const state = {
    table: createDynamoDbTable(emulated.documents, 'table'),
    cluster: clusterIdOf('prod', liveIncarnation),
  };
  const at = Date.now();
  await noteIncarnation(state, { at, now: at });
  await storeHeartbeat(state, { type: 'Heartbeat', at, clockOffset: 0, watched: [] } as never, at);
  const home = mkdtempSync(path.join(tmpdir(), 'sluice-home-'));
  await bundleInChunks(path.join(home, 'program'));
  const bundle = path.join(home, 'program', 'sluice.mjs');
  const environment = {
    PATH: process.env.PATH,
    HOME: home,
    USER: 'ada',
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL_DYNAMODB: emulated.endpoint,
    ...more(),
  };
  const run = (env: Readonly<Record<string, string>>, ...words: string[]) =>
    new Promise<Said>((resolve) => {
      execFile(process.execPath, [bundle, ...words], { env: { ...environment, ...env } }, (error, out, err) => {
        const code = error?.code;
        resolve({ status: typeof code === 'number' ? code : error ? 1 : 0, out, err });
      });
    });
  return {
    state,
    home,
    environment,
    run,
    sluice: (...words) => run({}, ...words),
    async stop() {
      await emulated.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
