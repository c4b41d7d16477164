// The page Why: the answers of the cluster now and of the records.
import type { Json } from '../../adapters/kubernetes/read.ts';
import { compareText } from '../../model/snapshot.ts';
import type { ConsolePage } from '../../view/console/page.ts';
import { type Answer, type WhyKind, whyKinds, whyPage } from '../../view/console/whyPage.ts';
import { readPicture } from '../cluster/picture.ts';
import { failureSentences, UsageFailure } from '../failure.ts';
import { explainFromTable, explainLive } from '../verbs/why.ts';
import { type Address, textIn } from './address.ts';
import type { Followed } from './followed.ts';
import type { Situation } from './frame.ts';
import { refOf } from './ruleRef.ts';
import { rulesIn } from './rulesIn.ts';
import { explainSliceTaint, parseTaintName } from './sliceTaints.ts';
import type { ConsoleSource } from './source.ts';

export function why(
  source: ConsoleSource,
  { progress }: Situation,
  { path, address }: { readonly path: readonly string[]; readonly address: Address },
): Promise<ConsolePage> | ConsolePage | undefined {
  const [first = textIn(address, 'kind') || 'pod', ...rest] = path;
  const kind = whyKinds.find((one) => one === first);
  if (!kind) return undefined;
  const name = rest.length > 0 ? rest.join('/') : textIn(address, 'name');
  if (name !== '') return explain(source, { kind, name });
  const pods = progress.kind === 'Read' ? progress.progress.last.map(({ pod }) => pod) : [];
  const rules = source.followed ? rulesIn(source.followed).map(refOf).toSorted(compareText) : [];
  return whyPage({ kind, name }, [], { pods, rules });
}

async function explain(
  { cluster, table, tableHint, io, followed }: ConsoleSource,
  of: { readonly kind: WhyKind; readonly name: string },
): Promise<ConsolePage> {
  const reading = followed?.reading();
  const policies = followed?.objects('EvictionPolicy') ?? [];
  const asked = { ...of, hasRecords: table !== undefined, now: io.now(), policies };
  if (of.kind === 'taint') {
    const ask = cluster && (() => explainNow(cluster, asked, reading));
    return whyPage(of, [await answer('The cluster now', ask, 'No cluster is configured.')]);
  }
  const [live, stored] = await Promise.all([
    answer('The cluster now', cluster && (() => explainNow(cluster, asked, reading)), 'No cluster is configured.'),
    answer(
      'Records of evictions',
      table &&
        (async () => explainFromTable(await table.state(), { ...of, namespace: 'default', limit: 20, now: asked.now })),
      `Records are kept in the state table. ${tableHint}`,
    ),
  ]);
  // A pod that was evicted is away, so its record is the answer.
  if (live.isFailed && stored.isFound) return whyPage(of, [stored, { ...live, lines: live.lines.slice(0, 1) }]);
  return whyPage(of, [live, stored]);
}

async function explainNow(
  cluster: NonNullable<ConsoleSource['cluster']>,
  of: {
    readonly kind: WhyKind;
    readonly name: string;
    readonly hasRecords: boolean;
    readonly now: number;
    readonly policies: readonly Json[];
  },
  reading: ReturnType<Followed['reading']>,
): Promise<readonly string[]> {
  // What is not read yet would be missing from the answer.
  if (reading)
    return [
      `Not known: ${reading.done} of ${reading.of} kinds of objects are read.`,
      ...(of.kind === 'taint' ? [] : [`To ask without the console: sluice why ${of.kind} ${of.name}`]),
    ];
  if (of.kind !== 'taint') return explainLive(cluster, of);
  const limiter = parseTaintName(of.name);
  if (limiter === undefined) throw new UsageFailure(`"${of.name}" is not a taint: write it as DRIVER/KEY=VALUE:EFFECT`);
  const seen = { ...(await readPicture(cluster)), policies: of.policies };
  return explainSliceTaint(cluster, limiter, { seen, now: of.now });
}

interface Answered extends Answer {
  readonly isFailed?: true;
  readonly isFound?: true;
}

async function answer(
  from: string,
  ask: (() => Promise<readonly string[]>) | undefined,
  otherwise: string,
): Promise<Answered> {
  if (!ask) return { from, lines: [otherwise] };
  try {
    const lines = await ask();
    if (lines.length > 0) return { from, lines, isFound: true };
    return { from, lines: ['No record; records are kept for 90 days by default.'] };
  } catch (error) {
    return { from, isFailed: true, lines: failureSentences(error) };
  }
}
