/** Addresses of the files that the build made for browsers; see `build/page-assets.ts`. */
export interface BuildAssets {
  /** Runs before the first paint. */
  readonly early: string;
  /** The same, on pages that read data. */
  readonly earlyRequests: string;
  readonly entry: string;
  /** The pages in the order of `pages.ts`. */
  readonly pages: readonly PageFiles[];
}

/** What the entry and the page's screen import, to preload it all. */
export interface PageFiles {
  readonly modules: readonly string[];
  readonly styles: readonly string[];
}
