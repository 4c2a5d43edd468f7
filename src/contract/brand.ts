/**
 * The mark and the colors of the product, for all TypeScript. `ui/tokens.css` has the same colors, and
 * `http/pages/icons/` the mark as pictures.
 */
export const brand = {
  /** Behind the mark; filled areas and links of the light theme. */
  fill: '#1f5fbf',
  onFill: '#ffffff',
  /** The light in the doorway. */
  light: '#f2a93b',
  /** Behind the bar of a page, by theme. */
  surface: '#ffffff',
  darkSurface: '#161b22',
} as const;

/** The paths of the mark, a lit doorway, in a square of 32: the arch is a line, the door is filled. */
export const mark = {
  arch: 'M8.5 25V15.5a7.5 7.5 0 0 1 15 0V25',
  door: 'M12.5 26V15.5a3.5 3.5 0 0 1 7 0V26z',
} as const;
