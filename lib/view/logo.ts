// The logo as SVG.
import { markup } from './markup.ts';

/** A gate (sluice) that lets one drop through at a time. */
export const logo = markup`<svg class="logo" viewBox="0 0 32 32" width="36" height="36" aria-hidden="true"><rect class="logo-body" width="32" height="32" rx="8"/><path class="logo-line" d="M5 11c2.5-2 4.5-2 7 0M5 16c2.5-2 4.5-2 7 0M5 21c2.5-2 4.5-2 7 0"/><path class="logo-gate" d="M16 5v9.5M16 17.5V27"/><circle class="logo-drop" cx="21" cy="16" r="1.7"/><circle class="logo-drop" cx="26.5" cy="16" r="1.7"/></svg>`;
