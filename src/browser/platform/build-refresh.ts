import { minutes } from '../../contract/durations.ts';

/** How often an open page asks for the newest build. */
const buildPoll = minutes(1);

/** Looks for a newer build from time to time while the tab is visible, by code that a first visit does not load. */
export function followBuilds(own: string): () => void {
  const timer = setInterval(() => {
    if (document.visibilityState !== 'visible') return;
    import('./check-for-build.ts')
      .then((build) => build.checkForBuild(own))
      .catch((error) => console.warn('no build manifest', error));
  }, buildPoll);
  return () => clearInterval(timer);
}
