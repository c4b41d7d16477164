// What the log of a function says about an Event that could not be recorded.
import { afterEach, expect, it, vi } from 'vitest';
import type { ApiClient } from '../../../lib/adapters/kubernetes/apiClient.ts';
import { createEventRecorder } from '../../../lib/adapters/kubernetes/eventRecorder.ts';
import { createLog } from '../../../lib/lambda/powertools.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

it('an Event that the API server refuses is logged with its text, and nothing else is logged', async () => {
  const lines: string[] = [];
  // Otherwise Powertools writes to a console of its own.
  vi.stubEnv('POWERTOOLS_DEV', 'true');
  vi.spyOn(console, 'warn').mockImplementation((line) => void lines.push(String(line)));
  const body = { kind: 'Status', reason: 'Forbidden', message: 'events is forbidden' };
  const client: Pick<ApiClient, 'send'> = { send: async () => ({ kind: 'Answer', status: 403, body }) };
  const event = {
    name: 'trainer-0.1',
    regarding: { namespace: 'ml', name: 'trainer-0', uid: 'uid-1' },
    type: 'Normal',
    reason: 'DeviceTaintManagerEviction',
    message: 'Cancelling deletion of Pod ml/trainer-0',
    at: 0,
  } as const;
  await createEventRecorder(client as ApiClient, createLog('report')).record(event);
  const said = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(said).toHaveLength(1);
  expect(said[0]).toMatchObject({
    level: 'WARN',
    message: 'Event not recorded',
    event: 'trainer-0.1',
    text: event.message,
  });
});
