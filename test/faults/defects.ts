// Planted defects: each takes one rule away from a copy of the sources, by replacing a text that has to be there once.

export interface Defect {
  readonly name: string;
  /** The rule that is taken away. */
  readonly rule: string;
  readonly file: string;
  readonly replace: string;
  readonly by: string;
  /** Seed of a history that finds it (`node test/faults/plant.ts`). */
  readonly foundBy?: number;
}

const order = 'lib/mirror/order.ts';
const replaceObject = 'lib/state/replaceObject.ts';
const applyDue = 'lib/stages/ingest/applyDue.ts';
const carryOut = 'lib/stages/evict/carryOut.ts';

const ofTheMirror: readonly Defect[] = [
  {
    name: 'version-of-same-uid',
    rule: 'Of one object the greater version wins.',
    file: order,
    replace: "if (known.mirror === 'Gone' || version < known.at) return 'Stale';",
    by: "if (known.mirror === 'Gone') return 'Stale';",
  },
  {
    name: 'gone-stays-gone',
    rule: 'An object that is gone stays gone for a message.',
    file: order,
    replace: "if (known.mirror === 'Gone' || version < known.at) return 'Stale';",
    by: "if (version < known.at) return 'Stale';",
  },
  {
    name: 'version-of-other-uid',
    rule: 'An object made again under its name is stored only above the version of the row.',
    file: order,
    replace: "if (known.uid !== seen.uid) return version > known.at ? 'Inserts' : 'Stale';",
    by: "if (known.uid !== seen.uid) return 'Inserts';",
  },
  {
    name: 'watermark-before-insert',
    rule: 'What makes a row live asks the watermark of its range.',
    file: replaceObject,
    replace: "return heard === 'Inserts' && (await isPassed(state, by)) ? 'Stale' : heard;",
    by: 'return heard;',
  },
  {
    name: 'watermark-after-insert',
    rule: 'What made a row live asks the watermark again after the write.',
    file: replaceObject,
    replace: "return heard === 'Inserts' && (await isGhost(state, by)) ? { kind: 'Stale' } : stored;",
    by: 'return stored;',
  },
  {
    name: 'tombstone-without-row',
    rule: 'A DELETED event without a row leaves a tombstone.',
    file: order,
    replace: "if (!known) return 'Newer';",
    by: "if (!known) return 'Stale';",
  },
  {
    name: 'equal-manifest-again',
    rule: 'A manifest of the same version is applied again: its first application may have crashed.',
    file: 'lib/state/watermarks.ts',
    replace: "(markOf(range) ?? '') <= at",
    by: "(markOf(range) ?? '') < at",
  },
  {
    name: 'tombstones-in-manifest',
    rule: 'A manifest that shows an object whose row is gone makes it expected.',
    file: order,
    replace: "if (known && known.at > at) return 'Agrees';",
    by: "if (known && (known.at > at || known.mirror === 'Gone')) return 'Agrees';",
  },
  {
    name: 'manifest-expects',
    rule: 'What a manifest shows and the mirror lacks is expected.',
    file: 'lib/stages/ingest/applyManifest.ts',
    replace: "if (means === 'Agrees') return",
    by: "if (means === 'Expected' && !known) return [];\n    if (means === 'Agrees') return",
  },
  {
    name: 'manifest-ends',
    rule: 'What a manifest does not show is gone.',
    file: order,
    replace: "return !known || known.mirror === 'Gone' ? 'Agrees' : 'Gone';",
    by: "return 'Agrees';",
  },
  {
    name: 'rows-above-manifest',
    rule: 'Rows above the version of a manifest stay as they are.',
    file: order,
    replace: "if (known && known.at > at) return 'Agrees';",
    by: '',
  },
  {
    name: 'expected-is-requested',
    rule: 'Expected objects are requested until they arrive.',
    file: applyDue,
    replace: '.filter(({ isAsked }) => isAsked)',
    by: '.filter(({ isAsked, expected }) => isAsked && expected.asked === 0)',
  },
  {
    name: 'absent-at-version',
    rule: 'That an object was absent counts only for rows that are not newer.',
    file: order,
    replace: "if (version < known.at) return 'Stale';\n  return known.mirror === 'Gone' &&",
    by: "return known.mirror === 'Gone' &&",
  },
  {
    name: 'rounds',
    rule: 'The watcher sends the manifest of every range again within ten minutes.',
    file: 'lib/watcher/rounds.ts',
    replace: 'await pause(signal, times.first);',
    by: 'await pause(signal, times.first * 1000);',
  },
];

const ofTheDueIndex: readonly Defect[] = [
  {
    name: 'dirty-is-due',
    rule: 'A row whose change was not evaluated is evaluated by the sweep.',
    file: applyDue,
    replace: 'const dirty = rows.filter((row) => row.dirty !== undefined &&',
    by: 'const dirty = rows.filter((row) => row.dirty === undefined &&',
  },
  {
    name: 'lost-chunk',
    rule: 'A chunk of a fan-out that was lost is sent again.',
    file: applyDue,
    replace: 'const lost = rows.flatMap((row) => readChunk(row) ?? []);',
    by: 'const lost = rows.slice(0, 0).flatMap((row) => readChunk(row) ?? []);',
  },
];

const ofTheEviction: readonly Defect[] = [
  {
    name: 'one-taker',
    rule: 'Tokens are taken by a conditional write.',
    file: 'lib/state/bucketRows.ts',
    replace: "const when = ver === 0 ? absent('ver') : compare('ver', '=', ver);",
    by: "const when = ver === 0 ? absent('never') : compare('ver', '<>', -1);",
  },
  {
    name: 'edit-keeps-debt',
    rule: 'An edit of the rate forgives no token.',
    file: 'lib/decide/bucket.ts',
    replace: 'if (!bucket) return at;',
    by: 'if (!bucket || bucket.period !== period) return at;',
  },
  {
    name: 'token-lifetime',
    rule: 'A token that is older than a second is dropped.',
    file: 'lib/decide/token.ts',
    replace: 'tokenLifetime: Milliseconds = 800;',
    by: 'tokenLifetime: Milliseconds = 600_000;',
  },
  {
    name: 'token-time',
    rule: 'A pod is not started before the time of its token.',
    file: 'lib/stages/evict/evictDue.ts',
    replace: '(await waitUntil(round, found.token.at))',
    by: '(await waitUntil(round, 0))',
  },
  {
    name: 'reads-are-fresh',
    rule: 'What a decision rests on is younger than a second when the DELETE is sent.',
    file: carryOut,
    replace: 'const readFor: Milliseconds = 1000;',
    by: 'const readFor: Milliseconds = 600_000;',
  },
  {
    name: 'live-verdict',
    rule: 'Only the verdict on the live objects deletes.',
    file: 'lib/stages/evict/revalidate.ts',
    replace: 'if (!ledger && listing && listing.dueAt <= now && view.pod) {',
    by: 'if (view.pod) {',
  },
  {
    name: 'one-instant',
    rule: 'Reads count only if pod and claims were the same before and after them.',
    file: 'lib/stages/evict/liveView.ts',
    replace: 'if (shared.begun < own.ended && !wasBefore(shared.readAt, { row, claimRows, own })) {',
    by: 'if (shared.begun < 0) {',
  },
  {
    name: 'stops-are-last',
    rule: 'The last thing that is asked before the DELETE is whether the cluster is paused.',
    file: carryOut,
    replace: "if (stops.kind === 'Stopped') return stops.why;",
    by: '',
  },
  {
    name: 'ledger-version',
    rule: 'The intent is written on the version of the ledger that was read.',
    file: 'lib/state/podRows.ts',
    replace: "const when = compare('ver', '=', row.ver);\n  const update",
    by: "const when = compare('ver', '<>', -1);\n  const update",
  },
  {
    name: 'lease-of-an-intent',
    rule: 'An intent is settled only when its lease ran out.',
    file: 'lib/stages/evict/settle.ts',
    replace: "if ((row.ledger.leaseUntil ?? 0) > now) return 'Busy';",
    by: '',
  },
  {
    name: 'settled-by-the-pod',
    rule: 'An intent whose lease ran out is settled by reading the pod.',
    file: 'lib/stages/evict/settle.ts',
    replace: "case 'Gone':\n      await turn",
    by: "case 'Gone':\n      if (turn.access) return abandon(deps, turn, { record, row: held });\n      await turn",
  },
  {
    name: 'intents-are-settled',
    rule: 'An intent without a close is settled by the sweep.',
    file: 'lib/stages/evict/settle.ts',
    replace: "if (record?.outcome !== 'Open') return",
    by: "if (record?.outcome !== 'Elsewhere') return",
  },
  {
    name: 'put-back-in-one-write',
    rule: 'A pod that is put back is listed again at all of its limiters.',
    file: 'lib/stages/evict/putBack.ts',
    replace: "const ledger: Ledger = { ...open, ...change, listings, state: 'Pending' };",
    by: "const ledger: Ledger = { ...open, ...change, listings: [], state: 'Pending' };",
  },
];

export const defects: readonly Defect[] = [...ofTheMirror, ...ofTheDueIndex, ...ofTheEviction];
