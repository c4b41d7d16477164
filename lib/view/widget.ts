// Response for a custom widget of a CloudWatch dashboard: HTML about one cluster, or the widget's documentation.
import type { ClusterName } from '../model/identity.ts';
import { renderWidget } from './html.ts';
import { htmlOf, markup } from './markup.ts';
import type { ClusterProgress } from './progress.ts';

/** CloudWatch sends the widget's parameters, and `widgetContext` with the theme of the AWS console. */
export interface WidgetRequest {
  readonly describe: boolean;
  readonly cluster: string;
  readonly theme: 'light' | 'dark';
}

export interface WidgetSource {
  readonly clusters: readonly ClusterName[];
  read(cluster: ClusterName): Promise<ClusterProgress>;
}

/** Markdown that the AWS console shows while a widget is edited. */
const description = `## Progress of evictions

The rules and driver taints of one cluster: how many pods were evicted, are being deleted, wait, and when the last one is due; then the last evictions with their reasons.

### Parameters

| parameter | meaning |
| --- | --- |
| \`cluster\` | name of a cluster of this installation; absent: the first one |

### Example

\`\`\` yaml
cluster: %s
\`\`\`
`;

export function readWidgetRequest(event: unknown): WidgetRequest {
  const { describe, cluster, widgetContext } = membersOf(event);
  return {
    describe: describe === true,
    cluster: typeof cluster === 'string' ? cluster : '',
    theme: membersOf(widgetContext).theme === 'dark' ? 'dark' : 'light',
  };
}

/** Returns Markdown for `describe`, else HTML. Throws if the state table cannot be read. */
export async function answerWidget(event: unknown, { clusters, read }: WidgetSource): Promise<string> {
  const request = readWidgetRequest(event);
  const [first = ''] = clusters;
  if (request.describe) return description.replace('%s', first);
  const cluster = request.cluster === '' ? first : request.cluster;
  if (!clusters.includes(cluster))
    return htmlOf(
      markup`<p>There is no cluster "${cluster}" in this installation, only ${clusters.join(', ')}: set the widget's parameter "cluster" to one of them.</p>`,
    );
  return renderWidget(await read(cluster), request.theme);
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
