// The signature without which macOS kills a program on Apple silicon: ad hoc, without an identity.
import { spawnSync } from 'node:child_process';
import { run } from './goTool.ts';

/** By apple-codesign, which needs no macOS. */
export function signForMacos(executable: string): void {
  const program = process.env.SLUICE_RCODESIGN ?? 'rcodesign';
  if (spawnSync(program, ['--version']).error)
    throw new Error(
      'rcodesign signs the executables for macOS and was not found: cargo install apple-codesign --version 0.29.0 --locked',
    );
  run(program, ['sign', '--binary-identifier', 'dev.sluice', executable]);
}
