// The home folder of the user, also where HOME is not set or empty.
import { userInfo } from 'node:os';
import type { Io } from './io.ts';

/** `os.homedir` answers with an empty text for an empty HOME, which is then the folder that a verb is called from. */
export function homeFolder(env: Io['env']): string {
  if (env.HOME) return env.HOME;
  try {
    return userInfo().homedir || '/';
  } catch {
    // A user without an entry, as in many containers.
    return '/';
  }
}
