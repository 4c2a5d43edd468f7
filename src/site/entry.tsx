import { hydrate } from './hydrate.tsx';
import { offeredPages } from './pages.ts';

void hydrate(offeredPages);
