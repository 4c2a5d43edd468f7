/** Addresses of the files that the build made for browsers; see `build/page-assets.ts`. */
export interface BuildAssets {
  /** Runs before the first paint. */
  readonly early: string;
  /** The same, on pages that read data. */
  readonly earlyRequests: string;
  /** The pages in the order of `all-pages.ts`. */
  readonly pages: readonly PageFiles[];
}

/** The entry, and what it and the page's screen import, to preload it all. */
export interface PageFiles {
  readonly entry: string;
  readonly modules: readonly string[];
  readonly styles: readonly string[];
}
