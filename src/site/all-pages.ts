import type { Route } from '../browser/navigation/route.ts';
import { consolePages } from './console-pages.ts';
import { pages } from './pages.ts';

/** The pages of the product and those of the console, for rendering and for the gallery: no browser gets both lists. */
export const allPages: readonly Route[] = [...pages, ...consolePages];
