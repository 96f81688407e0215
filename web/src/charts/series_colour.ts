/** Colours from the style sheet, which differ between light and dark. */

/** The number of colours for series. */
export const SERIES_COLOURS = 8;

/** The value of a variable of the style sheet. */
export function cssVariable(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** The colour of a series. */
export function seriesColour(index: number): string {
  return cssVariable(`--series-${(index % SERIES_COLOURS) + 1}`);
}

/** Calls a function when the system changes between light and dark; returns one that ends this. */
export function onSchemeChange(call: () => void): () => void {
  const query = window.matchMedia('(prefers-color-scheme: dark)');
  query.addEventListener('change', call);
  return () => query.removeEventListener('change', call);
}
