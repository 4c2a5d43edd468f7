import { isDirty } from '../forms/dirty.ts';
import { linkIsFleeting } from '../navigation/kept-query.ts';
import { newBuild } from './new-build.ts';
import { tabStorage } from './storage.ts';

/** Fetches the id of the newest build and reloads the page if it differs, unless typed text would be lost. */
export async function checkForBuild(own: string): Promise<void> {
  const { id } = await fetchManifest('latest');
  // During a rolling deploy the nodes disagree: reload once per build, not on every response.
  if (id === own || id === tabStorage.read('reloaded_for')) return;
  await fetchManifest(`meta/${id}`);
  newBuild.write(true);
  if (isDirty() || linkIsFleeting()) return;
  tabStorage.write('reloaded_for', id);
  location.reload();
}

async function fetchManifest(name: string): Promise<{ id: string }> {
  const response = await fetch(`/builds/${name}.json`, { credentials: 'same-origin' });
  if (!response.ok) throw new Error(`/builds/${name}.json: ${response.status}`);
  return response.json();
}
