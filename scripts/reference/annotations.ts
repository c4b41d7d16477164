// Reference page of annotations, labels and taint keys.
import { annotations } from '../../lib/model/annotations.ts';
import { table } from './markdown.ts';

export function annotationsPage(): string {
  const rows = Object.entries(annotations).map(([name, one]) => ({ name, by: undefined, ...one }));
  const part = (isOwn: boolean) =>
    table(
      ['name', 'on', 'value', 'meaning'],
      rows
        .filter(({ by }) => (by !== undefined) === isOwn)
        .map(({ name, as, on, value, meaning }) => [`\`${name}\` (${as})`, on, value, meaning]),
    );
  return `# Annotations and labels

\`npm run generate:reference\` makes this page from \`lib/model/annotations.ts\`.

## Written by people

${part(false)}

## Written by Sluice and its command

${part(true)}
`;
}
