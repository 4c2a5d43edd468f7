// First: its styles set the order of the layers, and come before those of the screens, which are in the same file.

import { consolePages } from './console-pages.ts';
import { hydrate } from './hydrate.tsx';

void hydrate(() => consolePages);
