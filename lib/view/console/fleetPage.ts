// Fleet page: map of all devices or of one group, list of groups with states, and the devices of one group.
import { deviceKey } from '../../model/identity.ts';
import { type Markup, markup } from '../markup.ts';
import { countText } from '../words.ts';
import type { ActionRequest, May } from './act.ts';
import { errorPage } from './actPage.ts';
import { countsText, renderLegend, renderMarks, stateWords } from './deviceMap.ts';
import type { FleetDevice } from './fleet.ts';
import { countStates, type DeviceGroup, type Grouping, groupings, marksOf, type StateCounts, sumOf } from './groups.ts';
import type { ConsolePage } from './page.ts';
import {
  hasText,
  pageOf,
  renderFilters,
  renderFold,
  renderPager,
  renderTable,
  renderTools,
  whyHref,
  withQuery,
} from './parts.ts';

export interface FleetQuery {
  readonly by: Grouping;
  /** Name of the only group to show. */
  readonly in?: string;
  /** Substring of group or device names. */
  readonly search: string;
  readonly page: number;
}

export interface FleetTools {
  readonly may: May;
  /** Subjects of rules that `untaint` can delete: `device/DRIVER/POOL/DEVICE`. */
  readonly made: ReadonlySet<string>;
}

/** Maximum marks in the large map, and per group in the list. */
const marksInMap = 4000;
const marksInGroup = 96;
const groupsOnPage = 48;
const devicesOnPage = 50;

const words: Readonly<Record<Grouping, string>> = {
  node: 'node',
  driver: 'driver',
  pool: 'pool',
  class: 'device class',
  team: 'team',
};

/** `groups`: grouped by `query.by`. */
export function fleetPage(groups: readonly DeviceGroup[], query: FleetQuery, tools: FleetTools): ConsolePage {
  if (query.in !== undefined) {
    const wanted = query.in === '-' ? '' : query.in;
    const group = groups.find(({ name }) => name === wanted);
    if (group) return groupPage(group, query, tools);
    if (wanted === '') return groupPage({ name: wanted, devices: [], counts: countStates([]) }, query, tools);
    return errorPage(`There is no ${words[query.by]} ${wanted}`, ['No ResourceSlice publishes a device of it.'], 404);
  }
  const found = groups.filter(({ name }) => hasText(name, query.search));
  const shown: FleetDevice[] = [];
  for (const { devices } of found) for (const one of devices) shown.push(one);
  return {
    title: 'Fleet',
    tab: 'fleet',
    regions: [
      {
        id: 'filters',
        html: renderFilters('/fleet', [
          { name: 'by', label: 'Group by', value: query.by, choices: groupings },
          { name: 'q', label: 'Name contains', value: query.search },
        ]),
      },
      { id: 'map', html: renderMap(query.search === '' ? 'All devices' : 'Devices found', shown, sumOf(found)) },
      { id: 'groups', html: renderGroups(found, query) },
    ],
  };
}

function renderMap(title: string, devices: readonly FleetDevice[], counts: StateCounts): Markup {
  const { marks, each } = marksOf(devices, marksInMap);
  const columns = Math.min(96, Math.max(24, Math.ceil(Math.sqrt(marks.length * 4))));
  return markup`<section class="panel" aria-labelledby="map-title"><h2 id="map-title">${title}</h2>${renderLegend(counts)}
${devices.length === 0 ? markup`<p class="more">No devices.</p>` : renderMarks(marks, { columns, label: countsText(counts), isByRow: true })}
${each > 1 && markup`<p class="more">A mark stands for ${countText(each, 'device')} and shows the most urgent state; choose a group to see each device.</p>`}</section>`;
}

function renderGroups(groups: readonly DeviceGroup[], query: FleetQuery): Markup {
  const page = pageOf(groups, { number: query.page, size: groupsOnPage });
  const href = (number: number) => withQuery('/fleet', { by: query.by, q: query.search, page: number });
  return markup`<h2>${countText(groups.length, words[query.by])}${query.by === 'class' ? ' in use' : ''}</h2>
${renderFold(
  { id: 'all-groups', shown: 4, count: page.items.length, what: `all ${page.items.length} of this page` },
  markup`<ul class="groups">${page.items.map((group) => renderGroup(group, query.by))}</ul>`,
)}${renderPager(page, href)}`;
}

function renderGroup({ name, devices, counts }: DeviceGroup, by: Grouping): Markup {
  const { marks, each } = marksOf(devices, marksInGroup);
  const title = name === '' ? 'not in use' : name;
  const href = withQuery('/fleet', { by, in: name === '' ? '-' : name });
  return markup`<li id="g-${by}-${name}" class="panel"><h3><a href="${href}">${title}</a></h3>${renderMarks(marks, { columns: 16, label: countsText(counts) })}<p class="more">${countsText(counts)}${each > 1 && `; a mark stands for ${each}`}</p></li>`;
}

function groupPage(group: DeviceGroup, query: FleetQuery, tools: FleetTools): ConsolePage {
  const { name, devices } = group;
  const found = devices.filter((one) => hasText(nameOf(one), query.search));
  const page = pageOf(found, { number: query.page, size: devicesOnPage });
  const href = (number: number) => withQuery('/fleet', { by: query.by, in: query.in, q: query.search, page: number });
  const word = words[query.by];
  const title = name === '' ? `Devices without a ${word}` : `${word[0]?.toUpperCase()}${word.slice(1)} ${name}`;
  return {
    title,
    tab: 'fleet',
    regions: [
      {
        id: 'filters',
        html: markup`<p><a href="${withQuery('/fleet', { by: query.by })}">All devices by ${words[query.by]}</a></p>${renderFilters('/fleet', [{ name: 'q', label: 'Device contains', value: query.search }], { by: query.by, in: query.in ?? '' })}`,
      },
      { id: 'map', html: renderMap(countText(found.length, 'device'), found, countStates(found)) },
      {
        id: 'devices',
        html: markup`<section class="panel" aria-label="Devices">${renderFold({ id: 'all-devices', shown: 2, count: page.items.length, what: `all ${page.items.length} of this page` }, renderTable(columnsFor(tools), page.items, title))}${renderPager(page, href)}</section>`,
      },
    ],
  };
}

function nameOf({ driver, pool, device }: FleetDevice): string {
  return `${driver}/${pool}/${device}`;
}

const deviceActions = ['taint', 'untaint'] as const;

/** Without a column of actions for a caller who may do none. */
function columnsFor({ may, made }: FleetTools) {
  const columns = [
    {
      name: 'Device',
      of: (one: FleetDevice) =>
        markup`<a href="${whyHref('device', nameOf(one))}" id="d-${deviceKey(one)}">${nameOf(one)}</a>`,
    },
    {
      name: 'State',
      of: ({ state }: FleetDevice) => markup`<span class="badge is-${state.toLowerCase()}">${stateWords[state]}</span>`,
    },
    { name: 'Node', of: ({ node }: FleetDevice) => node },
    { name: 'Team', of: ({ team }: FleetDevice) => team || '–' },
    { name: 'Class', of: ({ className }: FleetDevice) => className || '–' },
  ];
  if (!deviceActions.some((action) => may({ action, kind: 'device', name: '' }))) return columns;
  const actions = (one: FleetDevice) => {
    const requests = deviceActions.map((action): ActionRequest => ({ action, kind: 'device', name: nameOf(one) }));
    const offered = requests.filter(({ action, name }) => action === 'taint' || made.has(`device/${name}`));
    return markup`<span class="tools">${renderTools(offered, may, nameOf(one))}</span>`;
  };
  return [...columns, { name: 'Actions', of: actions }];
}
