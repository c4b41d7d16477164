// Templates for HTML and SVG; hono escapes every value that is not markup itself.
import { html } from 'hono/html';
import type { HtmlEscaped } from 'hono/utils/html';

export type Markup = HtmlEscaped;

type Part = string | number | Markup | undefined | false | readonly Part[];

/** `undefined` and `false` render as nothing. Parts must not be promises, so that the result is no promise either. */
export const markup = html as (text: TemplateStringsArray, ...parts: readonly Part[]) => Markup;

// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are replaced
const unsafe = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Text for a browser or a file. Control characters, which XML forbids, and those that reverse the text after them become U+FFFD. */
export function htmlOf(made: Markup): string {
  return made.toString().replace(unsafe, '�');
}
