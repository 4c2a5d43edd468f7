import { defaultLanguage } from '../../contract/languages.ts';
import { patternOf } from '../../contract/pages/page-path.ts';
import { tagOf } from '../encoding/entity-tags.ts';
import type { Page } from './page.ts';

/** A page's data, which browsers fetch when they go to it from another page. */
export interface Payload {
  readonly page: Page;
  /** Its entity tag. */
  readonly tag: string;
}

export interface PageIndex {
  /** The page at a path, in any language. */
  pageAt(path: string): Page | undefined;
  /** Whether the page has a path of its own, without parameters. */
  hasFixedPath(page: Page): boolean;
  payloadAt(path: string): Payload | undefined;
  /** Where a path without its final slash, or with the prefix of the default language, leads. Only to known pages. */
  movedTo(path: string): string | undefined;
}

/** Finds pages by the path of a request. */
export function indexPages(pages: readonly Page[]): PageIndex {
  const routed = pages.filter(({ kind }) => kind !== 'instead');
  const byPath = new Map(routed.map((page) => [page.path, page]));
  const withParameters = routed
    .filter(({ path }) => path.includes('/:'))
    .map((page) => ({ page, pattern: patternOf(page.path) }));
  const withPayload = new Map(pages.map((page) => [`${page.path}_payload.json`, page]));
  const payloads = new Map<Page, Payload>();
  const pageAt = (path: string): Page | undefined =>
    byPath.get(path) ?? withParameters.find(({ pattern }) => pattern.test(path))?.page;
  return {
    pageAt,
    hasFixedPath: ({ path }) => byPath.has(path),
    payloadAt(path) {
      const page = withPayload.get(path);
      if (!page) return undefined;
      const payload = payloads.get(page) ?? { page, tag: tagOf(page.payload.br) };
      payloads.set(page, payload);
      return payload;
    },
    movedTo(path) {
      const slashed = path.endsWith('/') ? path : `${path}/`;
      const bare = slashed.startsWith(`/${defaultLanguage}/`) ? slashed.slice(defaultLanguage.length + 1) : slashed;
      return bare !== path && pageAt(bare) ? bare : undefined;
    },
  };
}
