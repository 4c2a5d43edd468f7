/** Addresses of the files that the build made for browsers; see `build/page-assets.ts`. */
export interface BuildAssets {
  /** Runs before the first paint. */
  readonly early: string;
  readonly entry: string;
  /** In the order of `pages.ts`. */
  readonly pages: readonly PageAssets[];
}

export interface PageAssets {
  /** Imports of the entry and the page's screen, to preload them all. */
  readonly modules: readonly string[];
  readonly styles: readonly string[];
}
