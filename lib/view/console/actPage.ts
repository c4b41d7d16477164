// Page of one action with effect, form and button, and the page that shows its result.
import { type Markup, markup } from '../markup.ts';
import { type ActionRequest, hrefOf } from './act.ts';
import type { ConsolePage, Tab } from './page.ts';

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly type?: 'text' | 'number';
  readonly isRequired?: true;
  /** Why the value cannot be used. */
  readonly problem?: string;
}

export interface Preview {
  /** `Pause PacedTaintRule/a`. */
  readonly title: string;
  /** Sentences with counts, then the lines of a plan. */
  readonly effect: readonly string[];
  readonly fields: readonly Field[];
  /** Hidden fields that record what the user was shown, such as plan digests. */
  readonly seen?: Readonly<Record<string, string>>;
  /** Label of the button. */
  readonly button: string;
  /** The effect is unknown until the user fills in `fields`. */
  readonly isOpen?: true;
  /** Pods are not counted yet: the page is updated until they are. */
  readonly isUncounted?: true;
}

/** `token`: CSRF token that the POST must contain; `boundTo`: identifies `preview.seen`. */
export function actPage(
  request: ActionRequest,
  preview: Preview,
  { token, boundTo }: { readonly token: string; readonly boundTo: string },
): ConsolePage {
  const { title, effect, fields, button, isOpen, isUncounted } = preview;
  const hasProblem = fields.some(({ problem }) => problem !== undefined);
  const hidden = {
    kind: request.kind,
    name: request.name,
    ...(request.pause === undefined ? {} : { pause: request.pause }),
    ...(request.field === undefined ? {} : { field: request.field }),
  };
  const kept = Object.entries(hidden).map(
    ([name, value]) => markup`<input type="hidden" name="${name}" value="${value}">`,
  );
  const asks = fields.some(({ name }) => name !== 'why');
  return {
    title,
    ...(isUncounted ? {} : isOpen || hasProblem ? { isStill: true } : { boundTo }),
    ...(hasProblem ? { status: 400 } : {}),
    regions: [
      {
        id: 'effect',
        html: markup`<section class="panel" aria-label="What it will do"><h2>What it will do</h2>${renderEffect(effect)}</section>`,
      },
      ...(asks
        ? [
            {
              id: 'ask',
              html: markup`<form class="filters panel" method="get" action="/act/${request.action}">${kept}${fields.map(renderField)}<button type="submit">Show what it will do</button>${isOpen && cancel}</form>`,
            },
          ]
        : []),
      ...(isOpen
        ? []
        : [
            {
              id: 'do',
              html: markup`<form class="filters panel" method="post" action="${hrefOf(request)}">${kept}<input type="hidden" name="token" value="${token}">${Object.entries(preview.seen ?? {}).map(([name, value]) => markup`<input type="hidden" name="${name}" value="${value}">`)}${fields.map((one) => (asks && one.name !== 'why' ? markup`<input type="hidden" name="${one.name}" value="${one.value}">` : !asks || one.name === 'why' ? renderField(one) : undefined))}<button type="submit" class="act">${button}</button>${cancel}</form>`,
            },
          ]),
    ],
  };
}

/**
 * Of a page whose form is bound to what is not there any more: its button would do something else than was shown. `again`: the address of
 * the page with what was typed.
 */
export function changedPage(
  title: string,
  { again, why }: { readonly again: string; readonly why?: string | undefined },
): ConsolePage {
  const html = markup`<section class="panel" aria-label="What it will do"><h2>What it will do</h2><p><b>It has changed since this page was loaded.</b></p>${why !== undefined && markup`<p>${why}</p>`}<p class="tools"><a class="button" href="${again}">Show what it will do now</a><a class="button" href="/rules">Cancel</a></p></section>`;
  return { title, regions: [{ id: 'effect', html }] };
}

const cancel = markup` <a class="button" href="/rules">Cancel</a>`;

function renderField({ name, label, value, type = 'text', isRequired, problem }: Field): Markup {
  const step = type === 'number' && markup` step="any" min="0"`;
  const invalid = problem !== undefined && markup` aria-invalid="true" aria-describedby="problem-${name}" autofocus`;
  const field = markup`<label>${label}<input type="${type}" name="${name}" value="${value}"${step}${isRequired && markup` required`}${invalid} autocomplete="off"></label>`;
  if (problem === undefined) return field;
  return markup`<div class="field">${field}<p class="problem" id="problem-${name}">${problem}</p></div>`;
}

/** Sentences wrap; table rows, with columns separated by spaces, do not. */
function renderEffect([first = '', ...rest]: readonly string[]): Markup {
  const rows = rest.filter(isRow);
  return markup`<p><b>${first}</b></p>${rest.filter((one) => one !== '' && !isRow(one)).map((one) => markup`<p>${one}</p>`)}${rows.length > 0 && markup`<pre tabindex="0">${rows.join('\n')}</pre>`}`;
}

function isRow(line: string): boolean {
  return / {2,}\S/.test(line);
}

export function donePage(
  title: string,
  by: {
    readonly isDone: boolean;
    readonly lines: readonly string[];
    /** The page of the action with what was typed; absent if it was done. */
    readonly again?: string;
  },
): ConsolePage {
  return {
    title,
    isStill: true,
    ...(by.isDone ? {} : { status: 409 }),
    regions: [
      {
        id: 'result',
        html: markup`<section class="panel" aria-label="Result"><p class="badge ${by.isDone ? 'is-completed' : 'is-stopped'}">${by.isDone ? 'Done' : 'Not done'}</p>${by.isDone ? markup`<pre tabindex="0">${by.lines.join('\n')}</pre>` : by.lines.map((one) => markup`<p>${one}</p>`)}<p class="tools">${by.again !== undefined && markup`<a class="button" href="${by.again}">Try again</a>`}<a class="button" href="/rules">Rules</a><a class="button" href="/fleet">Fleet</a></p></section>`,
      },
    ],
  };
}

/** Until every kind was read once, numbers would be too small. */
export function readingPage(
  title: string,
  { done, of }: { readonly done: number; readonly of: number },
  tab?: Tab,
): ConsolePage {
  const html = markup`<section class="empty"><h2>Reading the cluster</h2><p>There are no numbers to show yet: ${done} of ${of} kinds are read.</p><progress aria-label="kinds read" max="${of}" value="${done}"></progress></section>`;
  return { title, ...(tab ? { tab } : {}), regions: [{ id: 'reading', html }] };
}

/** Page for a request that failed, is invalid or names what does not exist. */
export function errorPage(
  title: string,
  lines: readonly string[],
  status?: NonNullable<ConsolePage['status']>,
): ConsolePage {
  return {
    title,
    isStill: true,
    ...(status === undefined ? {} : { status }),
    regions: [
      {
        id: 'result',
        html: markup`<section class="panel" aria-label="Problem">${lines.map((one) => markup`<p>${one}</p>`)}</section>`,
      },
    ],
  };
}
