/** Addresses of the files that the build made for browsers; see `build/page-assets.ts`. */
export interface BuildAssets {
  /** Runs before the first paint. */
  readonly early: string;
  /** The same, on pages that read data. */
  readonly earlyRequests: string;
  readonly entry: string;
  /** The pages in the order of `pages.ts`. */
  readonly pages: readonly PageAssets[];
}

export interface PageFiles {
  readonly modules: readonly string[];
  readonly styles: readonly string[];
}

/** Imports of the entry and the page's screen, to preload them all. */
export interface PageAssets extends PageFiles {
  /** URL of the page's screen; undefined without a build. */
  readonly screen?: string;
  /** Files that its code imports on demand to send requests; a page that reads data preloads them. */
  readonly requests: PageFiles;
}
