import { minutes } from '../../contract/durations.ts';
import { isDirty } from '../forms/dirty.ts';
import { keptQuery } from '../navigation/kept-query.ts';
import { tabStorage } from './storage.ts';

/** How often an open page asks for the newest build. */
const buildPoll = minutes(1);

let waiting = false;

/** Whether the next navigation must load the whole page, because a newer build is there. */
export const newBuildWaits = (): boolean => waiting;

/** Asks for the newest build from time to time while the tab is visible, and reloads when there is another. */
export function followBuilds(own: string): () => void {
  const timer = setInterval(() => {
    if (document.visibilityState === 'visible')
      void look(own).catch((error) => console.warn('no build manifest', error));
  }, buildPoll);
  return () => clearInterval(timer);
}

async function look(own: string): Promise<void> {
  const { id } = await fetchManifest('latest');
  // During a rolling deploy the nodes disagree: reload once for a build, not with each answer.
  if (id === own || id === tabStorage.read('reloaded_for')) return;
  await fetchManifest(`meta/${id}`);
  waiting = true;
  // A reset link's secret is in memory only, so a reload would cost it, too.
  if (isDirty() || keptQuery.read().hash !== undefined) return;
  tabStorage.write('reloaded_for', id);
  location.reload();
}

async function fetchManifest(name: string): Promise<{ id: string }> {
  const response = await fetch(`/builds/${name}.json`, { credentials: 'same-origin' });
  if (!response.ok) throw new Error(`/builds/${name}.json: ${response.status}`);
  return response.json();
}
