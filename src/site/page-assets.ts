/** What the build made for browsers, by address; see `build/page-assets.ts`. */
export interface BuildAssets {
  /** Runs before the first paint. */
  readonly early: string;
  readonly entry: string;
  /** In the order of `pages.ts`. */
  readonly pages: readonly PageAssets[];
}

export interface PageAssets {
  /** What the entry and the page's screen import, so that nothing is found late. */
  readonly modules: readonly string[];
  readonly styles: readonly string[];
}
