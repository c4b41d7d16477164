// All verbs of the command line, in the order of the help text.
import { localRun, version as release } from '../assets.ts';
import type { ProgramDefinition } from '../definition.ts';
import { approve, drain, mode, pause, pauses, resume, taint, untaint } from './act.ts';
import { install, uninstall, upgrade } from './installing.ts';
import { console, describe, events, get, plan, top, why } from './look.ts';
import { cel, completion, config, convert, cost, demo, doctor, version } from './tools.ts';

export const program: ProgramDefinition = {
  text: 'Evict pods from tainted devices of a Kubernetes cluster at a rate, and explain each eviction.',
  version: release,
  verbs: [
    // Single-file executables do not contain the demo.
    ...(localRun ? [demo] : []),
    get,
    describe,
    why,
    plan,
    approve,
    pause,
    pauses,
    resume,
    taint,
    untaint,
    drain,
    events,
    top,
    mode,
    install,
    upgrade,
    uninstall,
    doctor,
    cost,
    convert,
    cel,
    config,
    console,
    completion,
    version,
  ],
};
