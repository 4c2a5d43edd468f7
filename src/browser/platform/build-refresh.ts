import { minutes } from '../../contract/durations.ts';

/** How often an open page checks for a newer build. */
const buildPoll = minutes(1);

/** Checks for a newer build while the tab is visible. A first visit does not load the code that does it. */
export function followBuilds(own: string): () => void {
  const timer = setInterval(() => {
    if (document.visibilityState !== 'visible') return;
    import('./check-for-build.ts')
      .then((build) => build.checkForBuild(own))
      .catch((error) => console.warn('no build manifest', error));
  }, buildPoll);
  return () => clearInterval(timer);
}
