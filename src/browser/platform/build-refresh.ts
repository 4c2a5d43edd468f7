import { minutes } from '../../contract/durations.ts';
import { checkForBuild } from './check-for-build.ts';

/** How often an open page checks for a newer build. */
const buildPoll = minutes(1);

/** Checks for a newer build while the tab is visible. */
export function followBuilds(own: string): () => void {
  const timer = setInterval(() => {
    if (document.visibilityState !== 'visible') return;
    checkForBuild(own).catch((error) => console.warn('no build manifest', error));
  }, buildPoll);
  return () => clearInterval(timer);
}
