// `sluice pause`: stops evictions, checks first that what it names exists, and returns when the last delete is settled.
import { userInfo } from 'node:os';
import { countText } from '../../view/words.ts';
import { type OpenCluster, withCluster } from '../cluster/open.ts';
import { readPicture } from '../cluster/picture.ts';
import type { Call } from '../definition.ts';
import { Failure } from '../failure.ts';
import { numberFlag, textFlag } from '../flags.ts';
import { withInstallation } from '../installation/open.ts';
import { type Io, line } from '../io.ts';
import { nearestHelp } from '../nearest.ts';
import {
  annotate,
  annotatedObject,
  pauseNamespace,
  stopCluster,
  waitUntilClusterSettled,
} from '../pause/clusterPause.ts';
import { countKept } from '../pause/kept.ts';
import { noteText } from '../pause/note.ts';
import { nameFlag, type Subject, subjectOf, subjectWords } from '../pause/subject.ts';
import { pauseInTable, waitUntilSettled } from '../pause/tablePause.ts';
import { taintPauseOf } from '../pause/taintPause.ts';

export async function run(call: Call): Promise<number> {
  const subject = subjectOf(call, 'pause');
  const name = nameFlag(call);
  const by = `${call.io.env.USER || userInfo().username}`;
  const why = textFlag(call.flags, 'why') ?? '';
  const within = 1000 * (numberFlag(call.flags, 'timeout') ?? 60);
  const note = { name, why, by, within };
  if (subject.kind === 'Everything' || subject.kind === 'Cluster') return pauseStored(call, subject, note);
  return pauseLive(call, subject, note);
}

type LiveSubject = Exclude<Subject, { kind: 'Everything' | 'Cluster' }>;

interface Note {
  readonly name: string;
  readonly why: string;
  readonly by: string;
  readonly within: number;
}

function pauseStored(
  call: Call,
  subject: Extract<Subject, { kind: 'Everything' | 'Cluster' }>,
  note: Note,
): Promise<number> {
  const { io } = call;
  const { name, why, by, within } = note;
  const cluster = subject.kind === 'Cluster' ? subject.cluster : undefined;
  return withInstallation(call, async (open) => {
    await pauseInTable(open, { cluster, name }, { why, by, since: io.now() });
    line(io.err, 'paused; waiting for the last delete in flight');
    const { kept, clusters } = await waitUntilSettled(open, { cluster, io, within });
    const where =
      cluster === undefined
        ? `every cluster${clusters.length > 0 ? ` (${clusters.join(', ')})` : ''}`
        : `cluster ${cluster}`;
    const isCounted = clusters.length > 0;
    line(
      io.out,
      `${where} is paused: ${isCounted ? `${kept} pods are kept` : 'pods are kept, and name --stack to count them'}`,
    );
    line(io.out, resumeHint(call, subject, name));
    return 0;
  });
}

function pauseLive(call: Call, subject: LiveSubject, note: Note): Promise<number> {
  const { io } = call;
  return withCluster(call, async (cluster) => {
    line(io.out, await pauseInCluster(cluster, { subject, note, io }));
    line(io.out, resumeHint(call, subject, note.name));
    return 0;
  });
}

/** Answers in words when the last delete is settled; throws where that takes longer than `within`. */
export async function pauseInCluster(
  cluster: OpenCluster,
  by: { readonly subject: LiveSubject; readonly note: Note; readonly io: Io },
): Promise<string> {
  const { subject, note, io } = by;
  const text = noteText({ why: note.why, by: note.by, at: io.now() });
  const what = await write(cluster, subject, { name: note.name, text });
  line(io.err, 'paused; waiting for the last delete in flight');
  await waitUntilClusterSettled(cluster, { io, within: note.within });
  const kept = countKept(subject, (await readPicture(cluster)).snapshot);
  return `${what} is paused: ${countText(kept, 'pod')} ${kept === 1 ? 'is' : 'are'} kept`;
}

async function write(
  cluster: OpenCluster,
  subject: LiveSubject,
  by: { readonly name: string; readonly text: string },
): Promise<string> {
  switch (subject.kind) {
    case 'Stop':
      await stopCluster(cluster, by);
      return `the cluster of context ${cluster.context}`;
    case 'namespace':
      await pauseNamespace(cluster, subject.name, by.text);
      return `namespace ${subject.name}`;
    case 'taint':
      await pauseTaint(cluster, subject.name, by);
      return `taint ${subject.name}`;
    default: {
      const found = await annotatedObject(cluster, subject.kind, subject.name);
      await annotate(cluster, found, by);
      return `${found.object.kind} ${subject.name}`;
    }
  }
}

async function pauseTaint(
  cluster: OpenCluster,
  key: string,
  by: { readonly name: string; readonly text: string },
): Promise<void> {
  const { rules, policies, problem, known } = taintPauseOf(key, (await readPicture(cluster)).snapshot);
  if (problem) throw new Failure(`${problem.what}; nothing was written`, problem.help);
  if (rules.length + policies.length === 0)
    throw new Failure(
      `nothing in context ${cluster.context} has a taint ${key}; nothing was written`,
      nearestHelp(key, known, 'sluice get taints'),
    );
  for (const rule of rules) await annotate(cluster, await annotatedObject(cluster, 'rule', rule), by);
  for (const policy of policies) await annotate(cluster, await annotatedObject(cluster, 'policy', policy), by);
}

function resumeHint(call: Call, subject: Subject, name: string): string {
  const option = (flag: string) =>
    textFlag(call.flags, flag) === undefined ? '' : ` --${flag} ${textFlag(call.flags, flag)}`;
  const where = ['kubeconfig', 'context', 'stack', 'table', 'region'].map(option).join('');
  const named = name === 'manual' || subject.kind === 'namespace' ? '' : ` --name ${name}`;
  return `to continue: ${call.name} resume ${subjectWords(subject)}${named}${where}`;
}
