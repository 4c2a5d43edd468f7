import { keptQuery } from '../browser/navigation/kept-query.ts';
import { newBuild } from '../browser/platform/new-build.ts';
import { sessionLost, sessionNotice } from '../browser/requests/session.ts';
import { forgetTime } from './clock.ts';
import { giveUpRequests } from './replies.ts';
import { emptySurroundings } from './surroundings.ts';

/** Makes a document, whose screen has been taken away, as it was before it showed a state: all that outlives a screen. */
export async function resetState(): Promise<void> {
  giveUpRequests();
  // Whoever waited for one learns of it, and may still keep something.
  await new Promise((resolve) => setTimeout(resolve));
  forgetTime();
  emptySurroundings();
  keptQuery.write({ email: '', link: undefined, dbType: undefined });
  sessionNotice.write(undefined);
  sessionLost.write(0);
  newBuild.write(false);
  document.documentElement.removeAttribute('data-problem');
  scrollTo(0, 0);
}
