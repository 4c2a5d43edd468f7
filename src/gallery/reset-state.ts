import { keptQuery } from '../browser/navigation/kept-query.ts';
import { newBuild } from '../browser/platform/new-build.ts';
import { solving } from '../browser/proof-of-work/solving.ts';
import { emailConfirmation } from '../browser/requests/account.ts';
import { knownAccount } from '../browser/requests/known-account.ts';
import { sessionLost, sessionNotice } from '../browser/requests/session.ts';
import { forgetTime } from './clock.ts';
import { restorePasskeys } from './passkey-dialogs.ts';
import { giveUpRequests } from './replies.ts';
import { emptySurroundings } from './surroundings.ts';

/** Resets everything in the document that outlives an unmounted screen. */
export async function resetState(): Promise<void> {
  giveUpRequests();
  // Let the aborted requests reject first: their handlers may still store something.
  await new Promise((resolve) => setTimeout(resolve));
  forgetTime();
  emptySurroundings();
  restorePasskeys();
  keptQuery.write({ email: '', link: undefined, dbType: undefined });
  sessionNotice.write(undefined);
  sessionLost.write(0);
  emailConfirmation.write(undefined);
  knownAccount.write(undefined);
  newBuild.write(false);
  solving.write(false);
  document.documentElement.removeAttribute('data-problem');
  scrollTo(0, 0);
}
