// Ad hoc signature without identity: macOS kills unsigned programs on Apple silicon.
import { spawnSync } from 'node:child_process';
import { run } from './goTool.ts';

/** Signs with rcodesign (apple-codesign), which does not need macOS. */
export function signForMacos(executable: string): void {
  const program = process.env.SLUICE_RCODESIGN ?? 'rcodesign';
  if (spawnSync(program, ['--version']).error)
    throw new Error(
      'rcodesign signs the executables for macOS and was not found: cargo install apple-codesign --version 0.29.0 --locked',
    );
  run(program, ['sign', '--binary-identifier', 'dev.sluice', executable]);
}
