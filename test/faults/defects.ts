// Planted defects: each removes one rule from a copy of the sources, by replacing a text that must occur exactly once.

export interface Defect {
  readonly name: string;
  /** The rule that is removed. */
  readonly rule: string;
  readonly file: string;
  readonly replace: string;
  readonly by: string;
  readonly law: Law;
}

/** A test: `title` is the beginning of its full title, whose parts are joined by ` > `. */
export interface Law {
  readonly file: string;
  readonly title: string;
}

const ofARow = (title: string): Law => ({ file: 'test/mirror/order.test.ts', title: `the row of a Pod > ${title}` });
const ofHeals = (title: string): Law => ({ file: 'test/mirror/heals.test.ts', title });
const ofALimiter = (title: string): Law => ({ file: 'test/stages/evict/laws.test.ts', title });

const ofAnEviction = (title: string): Law => ({ file: 'test/stages/evict/rules.test.ts', title });
const ofLiveReads = (title: string): Law => ({ file: 'test/stages/evict/revalidate.test.ts', title });

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
    law: ofARow('a row keeps the greatest version of its object'),
  },
  {
    name: 'gone-stays-gone',
    rule: 'An object that is gone stays gone for a message.',
    file: order,
    replace: "if (known.mirror === 'Gone' || version < known.at) return 'Stale';",
    by: "if (version < known.at) return 'Stale';",
    law: ofARow('a row that is gone stays gone for every message of its object'),
  },
  {
    name: 'version-of-other-uid',
    rule: 'An object made again under its name is stored only above the version of the row.',
    file: order,
    replace: "if (known.uid !== seen.uid) return version > known.at ? 'Inserts' : 'Stale';",
    by: "if (known.uid !== seen.uid) return 'Inserts';",
    law: ofARow('a row ignores late messages of an earlier object with the same name'),
  },
  {
    name: 'watermark-before-insert',
    rule: 'What makes a row live asks the watermark of its range.',
    file: replaceObject,
    replace: "return heard === 'Inserts' && isPassed(by, mark ?? (await readMark(state, by))) ? 'Stale' : heard;",
    by: 'return heard;',
    law: ofARow('a message creates no row for an object that a newer manifest does not list'),
  },
  {
    name: 'watermark-after-insert',
    rule: 'What made a row live asks the watermark again after the write.',
    file: replaceObject,
    replace: "return heard === 'Inserts' && (await isGhost(state, by)) ? { kind: 'Stale' } : stored;",
    by: 'return stored;',
    law: ofARow('a row is not live when a newer manifest is applied while its object is written'),
  },
  {
    name: 'tombstone-without-row',
    rule: 'A DELETED event without a row leaves a tombstone.',
    file: order,
    replace: "if (!known) return 'Newer';",
    by: "if (!known) return 'Stale';",
    law: ofARow('a row is a tombstone when the deletion of its object arrives first'),
  },
  {
    name: 'equal-manifest-again',
    rule: 'A manifest of the same version is applied again: its first application may have crashed.',
    file: 'lib/state/watermarks.ts',
    replace: "(markOf(range) ?? '') <= at",
    by: "(markOf(range) ?? '') < at",
    law: ofARow('a row follows a manifest that is delivered again after its first application failed'),
  },
  {
    name: 'tombstones-in-manifest',
    rule: 'A manifest that shows an object whose row is gone makes it expected.',
    file: order,
    replace: "if (known && known.at > at) return 'Agrees';",
    by: "if (known && (known.at > at || known.mirror === 'Gone')) return 'Agrees';",
    law: ofARow('a row that is gone is expected once a manifest lists a new object under its name'),
  },
  {
    name: 'manifest-expects',
    rule: 'What a manifest shows and the mirror lacks is expected.',
    file: 'lib/stages/ingest/applyManifest.ts',
    replace: "if (means === 'Agrees') return",
    by: "if (means === 'Expected' && !known) return [];\n    if (means === 'Agrees') return",
    law: ofHeals('a lost message > a new Pod whose message was lost is requested after the next round and arrives'),
  },
  {
    name: 'manifest-ends',
    rule: 'What a manifest does not show is gone.',
    file: order,
    replace: "return !known || known.mirror === 'Gone' ? 'Agrees' : 'Gone';",
    by: "return 'Agrees';",
    law: ofHeals('a lost message > a Pod whose deletion was lost is gone after the next round'),
  },
  {
    name: 'rows-above-manifest',
    rule: 'Rows above the version of a manifest stay as they are.',
    file: order,
    replace: "if (known && known.at > at) return 'Agrees';",
    by: '',
    law: ofARow('a row newer than a manifest stays unchanged'),
  },
  {
    name: 'expected-is-requested',
    rule: 'Expected objects are requested until they arrive.',
    file: applyDue,
    replace: '.filter(({ isAsked }) => isAsked)',
    by: '.filter(({ isAsked, expected }) => isAsked && expected.asked === 0)',
    law: ofHeals('a lost message > a first list whose messages were all lost is requested again'),
  },
  {
    name: 'absent-at-version',
    rule: 'That an object was absent counts only for rows that are not newer.',
    file: order,
    replace: "if (version < known.at) return 'Stale';\n  return known.mirror === 'Gone' &&",
    by: "return known.mirror === 'Gone' &&",
    law: ofARow('a row newer than a list without its object stays unchanged'),
  },
  {
    name: 'rounds',
    rule: 'The watcher sends the manifest of every range again within ten minutes.',
    file: 'lib/watcher/rounds.ts',
    replace: 'await pause(signal, times.first);',
    by: 'await pause(signal, times.first * 1000);',
    law: { file: 'test/watcher/rounds.test.ts', title: 'a watcher sends the manifest of every range' },
  },
];

const ofTheDueIndex: readonly Defect[] = [
  {
    name: 'dirty-is-due',
    rule: 'A row whose change was not evaluated is evaluated by the sweep.',
    file: applyDue,
    replace: 'const dirty = rows.filter((row) => row.dirty !== undefined &&',
    by: 'const dirty = rows.filter((row) => row.dirty === undefined &&',
    law: ofHeals('a throttled ingest > no row stays dirty when ingest is throttled eight times after it stored a'),
  },
  {
    name: 'lost-chunk',
    rule: 'A chunk of a fan-out that was lost is sent again.',
    file: applyDue,
    replace: 'const lost = rows.flatMap((row) => readChunk(row) ?? []);',
    by: 'const lost = rows.slice(0, 0).flatMap((row) => readChunk(row) ?? []);',
    law: {
      file: 'test/steps/fanOut.test.ts',
      title: 'a fan-out that ends half way > the sweep sends the pods of a lost message again',
    },
  },
];

const ofTheEviction: readonly Defect[] = [
  {
    name: 'one-taker',
    rule: 'Tokens are taken by a conditional write.',
    file: 'lib/state/bucketRows.ts',
    replace: "const when = ver === 0 ? absent('ver') : compare('ver', '=', ver);",
    by: "const when = ver === 0 ? absent('never') : compare('ver', '<>', -1);",
    law: ofALimiter('limiters > a limiter that two invocations process evicts no faster, and deletes no pod twice'),
  },
  {
    name: 'edit-keeps-debt',
    rule: 'An edit of the rate forgives no token.',
    file: 'lib/decide/bucket.ts',
    replace: 'if (!bucket) return at;',
    by: 'if (!bucket || bucket.period !== period) return at;',
    law: ofALimiter(
      'limiters > a limiter at 0.001 a second whose rate is edited twenty times a minute evicts one pod, not twenty',
    ),
  },
  {
    name: 'token-lifetime',
    rule: 'A token that is older than 0.8 s is dropped.',
    file: 'lib/decide/token.ts',
    replace: 'tokenLifetime: Milliseconds = 800;',
    by: 'tokenLifetime: Milliseconds = 600_000;',
    law: { file: 'test/decide/bucket.test.ts', title: 'a token may be used for 0.8 s after its time' },
  },
  {
    name: 'token-time',
    rule: 'A pod is not started before the time of its token.',
    file: 'lib/stages/evict/evictDue.ts',
    replace: '(await waitUntil(round, found.token.at))',
    by: '(await waitUntil(round, 0))',
    law: ofAnEviction('a limiter sends no DELETE before the time of its token'),
  },
  {
    name: 'reads-are-fresh',
    rule: 'What a decision rests on is younger than a second when the DELETE is sent.',
    file: 'lib/stages/evict/renew.ts',
    replace: 'const readFor: Milliseconds = 1000;',
    by: 'const readFor: Milliseconds = 600_000;',
    law: ofAnEviction('DELETE requests > a DELETE requires reads younger than a second'),
  },
  {
    name: 'live-verdict',
    rule: 'Only the verdict on the live objects deletes.',
    file: 'lib/stages/evict/revalidate.ts',
    replace: 'if (!ledger && undue === undefined && slowed === undefined) {',
    by: 'if (view.pod) {',
    law: ofLiveReads('a table that differs from the API server > a slice whose lifted taint the table still has'),
  },
  {
    name: 'one-instant',
    rule: 'Reads count only if pod and claims were the same before and after them.',
    file: 'lib/stages/evict/liveView.ts',
    replace: 'if (shared.begun < own.ended && !isProven) {',
    by: 'if (shared.begun < 0) {',
    law: ofLiveReads('reads that pods share > shared reads from before a claim moved are not combined with that claim'),
  },
  {
    name: 'one-instant-by-versions',
    rule: 'What has a newer version than a list that was read before the shared reads was not the same before them.',
    file: 'lib/stages/evict/ownReads.ts',
    replace: 'return isAtMost(seen.object.resourceVersion, at) && isAtMost(at, seen.listed);',
    by: 'return isAtMost(at, seen.listed);',
    law: ofLiveReads(
      'reads that pods share > shared reads from before a claim moved are not combined with it, even after earlier lists',
    ),
  },
  {
    name: 'stops-are-last',
    rule: 'The last thing that is asked before the DELETE is whether the cluster is paused.',
    file: carryOut,
    replace: "if (stops.kind === 'Stopped') return { keptBy: stops.why };",
    by: "if (stops.kind === 'Stopped') return {};",
    law: {
      file: 'test/stages/stop.test.ts',
      title: 'EvictionStops > an EvictionStop created between the PATCH and the DELETE of a pod keeps the pod',
    },
  },
  {
    name: 'ledger-version',
    rule: 'The intent is written on the version of the ledger that was read.',
    file: 'lib/state/podRows.ts',
    replace: "const when = compare('ver', '=', row.ver);\n  const update",
    by: "const when = compare('ver', '<>', -1);\n  const update",
    law: ofAnEviction(
      'DELETE requests > a DELETE is not sent for a pod whose ledger another step has written since it was read',
    ),
  },
  {
    name: 'lease-of-an-intent',
    rule: 'An intent is settled only when its lease ran out.',
    file: 'lib/stages/evict/settle.ts',
    replace: "if ((row.ledger.leaseUntil ?? 0) > now) return 'Busy';",
    by: '',
    law: ofAnEviction('an interrupted eviction is settled by one invocation at a time'),
  },
  {
    name: 'settled-by-the-pod',
    rule: 'An intent whose lease ran out is settled by reading the pod.',
    file: 'lib/stages/evict/settle.ts',
    replace: "case 'Gone':\n      await turn",
    by: "case 'Gone':\n      if (turn.access) return abandon(deps, turn, { record, row: held });\n      await turn",
    law: ofALimiter('evictions of a pod > a pod whose DELETE had no answer is settled from the live pod'),
  },
  {
    name: 'intents-are-settled',
    rule: 'An intent without a close is settled by the sweep.',
    file: 'lib/stages/evict/due.ts',
    replace: "if (record?.outcome === 'Open') return record;",
    by: "if (record?.outcome === 'Elsewhere') return record;",
    law: ofALimiter('evictions of a pod > a pod whose DELETE had no answer is settled from the live pod'),
  },
  {
    name: 'put-back-in-one-write',
    rule: 'A pod that is put back is listed again at all of its limiters.',
    file: 'lib/stages/evict/putBack.ts',
    replace: "const ledger: Ledger = { ...open, ...change, listings, state: 'Pending' };",
    by: "const ledger: Ledger = { ...open, ...change, listings: [], state: 'Pending' };",
    law: ofAnEviction('DELETE requests > a DELETE that is throttled puts its pod back at its limiter at once'),
  },
  {
    name: 'registered-before-listed',
    rule: 'A limiter is registered before a pod is listed at it.',
    file: 'lib/stages/evict/replanned.ts',
    replace: "if (ledger.state === 'Pending')\n    await",
    by: "if (ledger.state === 'Evicted')\n    await",
    law: {
      file: 'test/stages/evict/replanned.test.ts',
      title: 'a pod that a step lists at a limiter unknown to the table is evicted under it',
    },
  },
];

const removeEarlier = 'lib/stages/sweep/removeEarlier.ts';
const ofAnEarlier = (title: string): Law => ({
  file: 'test/stages/removeEarlier.test.ts',
  title: `removal of earlier incarnations > ${title}`,
});

const ofIncarnations: readonly Defect[] = [
  {
    name: 'silent-for-a-day',
    rule: 'Only an incarnation that was silent for a day loses its rows.',
    file: removeEarlier,
    replace: 'if (now - Math.max(heardAt, notedAt) < silentFor) return false;',
    by: 'if (now === heardAt) return false;',
    law: ofAnEarlier('rows of an earlier incarnation stay until it has been silent for a day'),
  },
  {
    name: 'another-is-heard',
    rule: 'Rows are removed only while another incarnation is heard.',
    file: removeEarlier,
    replace: 'if (!current || now - current.heardAt > heardNow) return undefined;',
    by: 'if (!current) return undefined;',
    law: ofAnEarlier('rows of a silent incarnation stay while no other incarnation sends heartbeats'),
  },
  {
    name: 'heard-again',
    rule: 'An incarnation that is heard again keeps the rows that are left, and loses its cursor.',
    file: 'lib/state/incarnationRows.ts',
    replace: "remove: ['removal', 'ttl']",
    by: 'remove: []',
    law: ofAnEarlier('rows of an incarnation that sends heartbeats again stay'),
  },
  {
    name: 'unknown-outcome',
    rule: 'An eviction that was under way in an earlier incarnation is recorded as of unknown outcome.',
    file: removeEarlier,
    replace: "if (isRecord || kindOfDue(row) === 'INTENT') await closeUnknown(state, row, now);",
    by: '',
    law: ofAnEarlier('rows of an eviction in progress'),
  },
];

const ofALongList = (title: string): Law => ({
  file: 'test/state/spreadList.test.ts',
  title: `a spread list > ${title}`,
});

const ofLists: readonly Defect[] = [
  {
    name: 'marks-are-seen',
    rule: 'Who reads the first partition of a list sees whether it has others.',
    file: 'lib/state/listPages.ts',
    replace: 'return { ...page, rows, isSpread: rows.length < page.rows.length };',
    by: 'return { ...page, rows, isSpread: false };',
    law: {
      file: 'test/state/spreadRaces.test.ts',
      title:
        'a read of a list that is being spread > a read finds a pod listed by a process that does not know that the list is spread',
    },
  },
  {
    name: 'all-partitions',
    rule: 'A list is empty when all of its partitions are.',
    file: 'lib/state/listPages.ts',
    replace: 'if (!isSpread || rows.some(isEnough)) return { rows, isSpread };',
    by: 'if (rows.length >= 0) return { rows, isSpread };',
    law: ofALongList('a pod in any partition of a long list counts as listed'),
  },
  {
    name: 'marks-of-a-long-list',
    rule: 'The marks of a list that is in use do not expire.',
    file: 'lib/state/spreadList.ts',
    replace: "change: { remove: ['ttl'] }",
    by: "change: { remove: ['none'] }",
    law: ofALongList('a forgotten list that becomes long again keeps its marks'),
  },
  {
    name: 'marks-of-a-forgotten-list',
    rule: 'The marks of a limiter that is forgotten stay for as long as a step may know them, and expire.',
    file: 'lib/state/spreadList.ts',
    replace: 'const change = { set: expiry(now) };',
    by: 'const change = { set: {} };',
    law: ofALongList('a forgotten list keeps its marks for two weeks'),
  },
  {
    name: 'partition-of-a-pod',
    rule: 'A pod stays in the partition in which a limiter lists it.',
    file: 'lib/state/moveListings.ts',
    replace: 'const shard = there ? there.shard : shardFor(',
    by: 'const shard = shardFor(',
    law: ofALongList('a long list keeps a pod in its partition'),
  },
];

export const defects: readonly Defect[] = [
  ...ofTheMirror,
  ...ofTheDueIndex,
  ...ofTheEviction,
  ...ofIncarnations,
  ...ofLists,
];
