// Templates for HTML and SVG; hono escapes every value that is not markup itself.
import { html } from 'hono/html';
import type { HtmlEscaped } from 'hono/utils/html';

export type Markup = HtmlEscaped;

type Part = string | number | Markup | undefined | false | readonly Part[];

/** `undefined` and `false` render as nothing. Parts must not be promises, so that the result is no promise either. */
export const markup = html as (text: TemplateStringsArray, ...parts: readonly Part[]) => Markup;

/** Text for a browser or a file; control characters, which XML forbids, become U+FFFD. */
export function htmlOf(made: Markup): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are replaced
  return made.toString().replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, '�');
}
