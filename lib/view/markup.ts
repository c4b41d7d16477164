// Templates for HTML and SVG: hono escapes whatever is put into them unless it is markup itself.
import { html } from 'hono/html';
import type { HtmlEscaped } from 'hono/utils/html';

export type Markup = HtmlEscaped;

type Part = string | number | Markup | undefined | false | readonly Part[];

/** `undefined` and `false` leave nothing. No part is a promise, so that the markup is none either. */
export const markup = html as (text: TemplateStringsArray, ...parts: readonly Part[]) => Markup;

/** For a browser or a file; control characters, which XML forbids, become a visible sign. */
export function htmlOf(made: Markup): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not come through
  return made.toString().replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, '�');
}
