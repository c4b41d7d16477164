// Help line for an error about an unknown name.
import { nearestOf } from '../config/nearest.ts';

/** `did you mean prod? see: sluice get clusters`. `command`: lists the known names. */
export function nearestHelp(name: string, known: readonly string[], command: string): string {
  const near = nearestOf(name, known);
  return near === undefined ? `see: ${command}` : `did you mean ${near}? see: ${command}`;
}
