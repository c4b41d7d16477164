// The DisruptionBudgets port: the PDBs (policy/v1) of a namespace, and the pods that each selects according to the API server.
import type { DisruptionBudget } from '../../model/plan.ts';
import type { DisruptionBudgets } from '../../ports.ts';
import type { ApiClient } from './apiClient.ts';
import { type ListWatchFailure, listPage } from './listWatch.ts';
import { type Json, listOf, numberOf, objectOf, textOf } from './read.ts';

export function createDisruptionBudgets(client: ApiClient): DisruptionBudgets {
  return {
    async read(namespace) {
      const path = `namespaces/${encodeURIComponent(namespace)}`;
      const found = await listAll(client, `/apis/policy/v1/${path}/poddisruptionbudgets`);
      if (found.kind === 'NotServed') return { kind: 'Known', budgets: [] };
      if (found.kind !== 'All') return failed(found);
      const budgets: DisruptionBudget[] = [];
      for (const item of found.items) {
        const pods = await podsOf(client, `/api/v1/${path}/pods`, objectOf(item));
        if (pods.kind !== 'All') return failed(pods);
        const metadata = objectOf(objectOf(item).metadata);
        const allowed = numberOf(objectOf(objectOf(item).status).disruptionsAllowed) ?? 0;
        budgets.push({ namespace, name: textOf(metadata.name) ?? '', allowed, pods: pods.items.flatMap(nameOf) });
      }
      return { kind: 'Known', budgets };
    },
  };
}

type Listed = { readonly kind: 'All'; readonly items: readonly unknown[] } | ListWatchFailure;

async function listAll(client: ApiClient, path: string, labelSelector = ''): Promise<Listed> {
  const items: unknown[] = [];
  let after: string | undefined;
  do {
    const page = await listPage(client, path, { after, labelSelector });
    if (page.kind !== 'Page') return page;
    items.push(...page.items);
    after = page.next;
  } while (after !== undefined);
  return { kind: 'All', items };
}

/** An absent selector selects nothing, an empty one every pod of the namespace (policy/v1). */
async function podsOf(client: ApiClient, path: string, budget: Json): Promise<Listed> {
  const { selector } = objectOf(budget.spec);
  if (selector === undefined || selector === null) return { kind: 'All', items: [] };
  return listAll(client, path, labelSelectorText(objectOf(selector)));
}

/** Formats a metav1.LabelSelector as the `labelSelector` parameter of a list. */
export function labelSelectorText(selector: Json): string {
  const labels = Object.entries(objectOf(selector.matchLabels)).map(([key, value]) => `${key}=${textOf(value) ?? ''}`);
  const expressions = listOf(selector.matchExpressions).map((one) => {
    const key = textOf(one.key) ?? '';
    const values = Array.isArray(one.values) ? one.values.flatMap((value) => textOf(value) ?? []).join(',') : '';
    switch (one.operator) {
      case 'In':
        return `${key} in (${values})`;
      case 'NotIn':
        return `${key} notin (${values})`;
      case 'DoesNotExist':
        return `!${key}`;
      default:
        return key;
    }
  });
  return [...labels, ...expressions].join(',');
}

function nameOf(pod: unknown): readonly string[] {
  const name = textOf(objectOf(objectOf(pod).metadata).name);
  return name === undefined ? [] : [name];
}

function failed(failure: ListWatchFailure) {
  if (failure.kind === 'RetryLater' || failure.kind === 'Refused') return failure;
  const why = failure.kind === 'Expired' ? failure.why : 'the API server serves no pods';
  return { kind: 'RetryLater', after: 1000, why } as const;
}
