// Writes in the API server's audit log: when each request came, and when it was answered.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { ControlPlane } from './controlPlane.ts';

export interface Audited {
  readonly verb: string;
  readonly resource: string;
  readonly name: string;
  readonly status: number;
  /** As the client names itself. */
  readonly userAgent: string;
  /** Epoch ms. */
  readonly receivedAt: number;
  readonly answeredAt: number;
}

/** Of a control plane that was started with AUDIT. */
export function readAudit({ folder }: Pick<ControlPlane, 'folder'>): readonly Audited[] {
  const lines = readFileSync(path.join(folder, 'audit.log'), 'utf8').split('\n');
  return lines.flatMap((line) => {
    // The last line may be half written.
    if (!line.endsWith('}')) return [];
    const { verb, userAgent = '', objectRef = {}, responseStatus = {}, ...times } = JSON.parse(line);
    return [
      {
        verb,
        resource: objectRef.resource ?? '',
        name: objectRef.name ?? '',
        status: responseStatus.code ?? 0,
        userAgent,
        receivedAt: Date.parse(times.requestReceivedTimestamp),
        answeredAt: Date.parse(times.stageTimestamp),
      },
    ];
  });
}
