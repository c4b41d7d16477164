// Help about an AWS region that this release does not know: it may be mistyped, or newer.
import { nearestOf } from '../../config/nearest.ts';
import { regions } from '../../config/regions.ts';
import { awsRemedy } from '../../doctor/awsRemedy.ts';

/** Absent for a known region. */
export function regionHelp(region: string): string | undefined {
  if (regions.includes(region)) return undefined;
  const meant = nearestOf(region, regions);
  return `this release knows no region ${region}${meant === undefined ? '' : `; did you mean ${meant}?`}`;
}

/** What helps against an error of AWS in a region; a mistyped region has no other cause. */
export function remedyIn(region: string | undefined, why: string): string | undefined {
  return (region === undefined ? undefined : regionHelp(region)) ?? awsRemedy(why);
}
