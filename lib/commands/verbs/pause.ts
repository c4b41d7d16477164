// `sluice pause`: checks that the subject exists, stops its evictions and returns when no delete is in flight.
import { noteText } from '../../model/note.ts';
import { formatInstant } from '../../model/time.ts';
import { type OpenCluster, withCluster } from '../cluster/open.ts';
import { readPicture } from '../cluster/picture.ts';
import type { Call } from '../definition.ts';
import { Failure, UsageFailure } from '../failure.ts';
import { numberFlag, textFlag } from '../flags.ts';
import { type OpenInstallation, withInstallation } from '../installation/open.ts';
import { type Io, line } from '../io.ts';
import { authorIn, authorOf } from '../pause/author.ts';
import { waitUntilClusterSettled } from '../pause/clusterPause.ts';
import { keptTexts, keptUnder } from '../pause/kept.ts';
import { addAnother, alreadyPaused } from '../pause/note.ts';
import { type LiveSubject, nameFlag, type Subject, subjectOf, subjectWords } from '../pause/subject.ts';
import { nameOf, pauseInTable, requireStillPaused, waitUntilSettled } from '../pause/tablePause.ts';
import { writePause } from '../pause/writePause.ts';
import { choosingOptions } from '../sameOptions.ts';

export async function run(call: Call): Promise<number> {
  const subject = asked(call);
  const name = nameFlag(call);
  const why = textFlag(call.flags, 'why') ?? '';
  const within = 1000 * (numberFlag(call.flags, 'timeout') ?? 60);
  const note = { name, why, within };
  if (subject.kind === 'Everything' || subject.kind === 'Cluster') return pauseStored(call, subject, note);
  return pauseLive(call, subject, note);
}

/** A sluice.yaml that cannot be read must not be the end of a stop; a wrong `--config` is an error of the call. */
function asked(call: Call): Subject {
  try {
    return subjectOf(call, 'pause');
  } catch (error) {
    const isFound =
      error instanceof Error && !(error instanceof Failure) && textFlag(call.flags, 'config') === undefined;
    throw isFound ? withOtherWay(new Failure(error.message)) : error;
  }
}

interface Note {
  readonly name: string;
  readonly why: string;
  readonly within: number;
}

function pauseStored(
  call: Call,
  subject: Extract<Subject, { kind: 'Everything' | 'Cluster' }>,
  note: Note,
): Promise<number> {
  const { io } = call;
  const { name, why, within } = note;
  const cluster = subject.kind === 'Cluster' ? subject.cluster : undefined;
  // Asked while the installation is opened, so that a slow API server delays a stop less.
  const author = authorOf(call);
  let isOpen = false;
  const pausing = withInstallation(call, async (open) => {
    isOpen = true;
    const by = await author;
    const of = { cluster, name };
    const was = await pauseInTable(open, of, { why, by, since: io.now() });
    if (was) line(io.err, `${alreadyPaused(nameOf(of), { ...was, since: formatInstant(was.since) })}; ${addAnother}`);
    line(io.err, `paused in ${placeOf(open)}; waiting until no DELETE is in flight`);
    const { kept, clusters } = await whilePaused(
      () => waitUntilSettled(open, { cluster, io, within }),
      () => requireStillPaused(open, of),
    );
    const where =
      cluster === undefined
        ? `every cluster${clusters.length > 0 ? ` (${clusters.join(', ')})` : ''}`
        : `cluster ${cluster}`;
    const isCounted = clusters.length > 0;
    line(
      io.out,
      `${where} is paused: ${isCounted ? `${kept} pods are kept` : 'pods are kept (specify --stack to count them)'}`,
    );
    line(io.out, resumeHint(call, subject, name));
    return 0;
  });
  return pausing.catch((error: unknown) => {
    throw isOpen ? error : withOtherWay(error);
  });
}

/** So that a stop in another installation than the one that was meant is seen at once. */
function placeOf({ tableName, target: { stack, region } }: OpenInstallation): string {
  return `${stack === undefined ? `table ${tableName}` : `stack ${stack}`} in ${region}`;
}

/** Where the account cannot be read, the API server of a cluster may still take a stop. */
function withOtherWay(error: unknown): unknown {
  if (!(error instanceof Failure) || error instanceof UsageFailure) return error;
  const other = 'stop one cluster by its kubeconfig: sluice pause --all --context NAME';
  return new Failure(error.message, error.help === undefined ? other : `${error.help}; or ${other}`);
}

function pauseLive(call: Call, subject: LiveSubject, note: Note): Promise<number> {
  const { io } = call;
  return withCluster(call, async (cluster) => {
    const by = await authorIn(cluster, io);
    const hint = resumeHint(call, subject, note.name);
    try {
      line(io.out, (await pauseInCluster(cluster, { subject, note: { ...note, by }, io })).done);
    } catch (error) {
      if (error instanceof StillPaused) line(io.out, hint);
      throw error;
    }
    line(io.out, hint);
    return 0;
  });
}

/** The pause stands, but what it was to wait for or to count could not be read. */
class StillPaused extends Failure {}

/** Returns when no delete is in flight; throws after `within` milliseconds. `already`: pauses that were there before. */
export async function pauseInCluster(
  cluster: OpenCluster,
  by: { readonly subject: LiveSubject; readonly note: Note & { readonly by: string }; readonly io: Io },
): Promise<{ readonly done: string; readonly already: readonly string[] }> {
  const { subject, note, io } = by;
  const text = noteText({ why: note.why, by: note.by, at: io.now() });
  const { what, already, isStill } = await writePause(cluster, subject, { name: note.name, text });
  for (const one of already) line(io.err, `${one}; ${addAnother}`);
  line(io.err, 'paused; waiting until no DELETE is in flight');
  const wait = () => waitUntilClusterSettled(cluster, { io, within: note.within });
  await whilePaused(
    () => wait().catch((error: unknown) => stillPaused(what, error)),
    async () => {
      if (await isStill()) return;
      throw new Failure(
        `${what} is no longer paused: pause ${note.name} was ended during the wait`,
        'see: sluice pauses',
      );
    },
  );
  const picture = await readPicture(cluster).catch((error: unknown) => stillPaused(what, error));
  const { kept, going } = keptUnder(subject, picture, io.now());
  const texts = keptTexts(kept, going);
  return { done: `${what} is paused: ${texts.kept}${texts.more === '' ? '' : `; ${texts.more}`}`, already };
}

function stillPaused(what: string, error: unknown): never {
  if (!(error instanceof Failure)) throw error;
  throw new StillPaused(`${what} is paused, but ${error.message}`, error.help);
}

/** If the pause was ended during the wait, throws that error, whether or not the wait succeeded. */
async function whilePaused<T>(wait: () => Promise<T>, requireStill: () => Promise<void>): Promise<T> {
  const [ended] = await Promise.allSettled([wait()]);
  await requireStill();
  if (ended.status === 'rejected') throw ended.reason;
  return ended.value;
}

function resumeHint(call: Call, subject: Subject, name: string): string {
  const named = name === 'manual' ? '' : ` --name ${name}`;
  return `to resume: ${call.name} resume ${subjectWords(subject)}${named}${choosingOptions(call.flags)}`;
}
