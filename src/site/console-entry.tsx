// First: its styles set the order of the layers, and precede those of the screens, which are in the same file.
import './hydrate.tsx';
import { consolePages } from './console-pages.ts';
import { hydrate } from './hydrate.tsx';

void hydrate(() => consolePages);
