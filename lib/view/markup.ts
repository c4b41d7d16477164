// HTML and SVG text that is safe by construction: whatever is put into a template is escaped unless it is markup itself.

export interface Markup {
  readonly markup: string;
}

type Part = string | number | Markup | undefined | false | readonly Part[];

/** Tag of a template; `undefined` and `false` leave nothing. */
export function markup(text: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return { markup: text.reduce((all, piece, i) => `${all}${piece}${i < parts.length ? render(parts[i]) : ''}`, '') };
}

function render(part: Part): string {
  if (part === undefined || part === false) return '';
  if (typeof part === 'string' || typeof part === 'number') return escapeText(String(part));
  if ('markup' in part) return part.markup;
  return part.map(render).join('');
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** For text and for quoted attributes; control characters, which XML forbids, become a visible sign. */
export function escapeText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not come through
  const visible = text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, '�');
  return visible.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
