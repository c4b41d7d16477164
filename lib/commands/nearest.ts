// The help of an error about a name that does not exist.
import { nearestOf } from '../config/nearest.ts';

/** `did you mean prod? see: sluice get clusters`. `command` lists those that exist. */
export function nearestHelp(name: string, known: readonly string[], command: string): string {
  const near = nearestOf(name, known);
  return near === undefined ? `see: ${command}` : `did you mean ${near}? see: ${command}`;
}
