import { forgetDraft } from '../../browser/forms/draft.ts';
import { goToLastPlace } from '../../browser/navigation/last-place.ts';
import { pickPasskey, type UsedPasskey } from '../../browser/passkeys/ceremony.ts';
import { signalUnknownPasskey } from '../../browser/passkeys/passkey-support.ts';
import { tabStorage } from '../../browser/platform/storage.ts';
import { RequestFailure } from '../../browser/requests/request-status.ts';
import { sendRequest } from '../../browser/requests/send-request.ts';
import { startSession } from '../../browser/requests/session.ts';
import type { LanguageCode } from '../../contract/languages.ts';
import { challengeLifetime } from '../../contract/sign-in/admission.ts';
import { minutes } from '../../contract/units.ts';
import { loginByPasskey, passkeyChallenge } from './passkeys.contract.ts';

interface PasskeySignIn {
  signal: AbortSignal;
  /** From the suggestions of the email field; otherwise the browser asks. */
  picked: UsedPasskey | undefined;
  /** Others use the computer. */
  shared: boolean;
  dbType: string | undefined;
  language: LanguageCode;
  granted: () => void;
}

/** Signs in with one tap, without an email address. Does nothing if the user chose no passkey. */
export async function signInWithPasskey(way: PasskeySignIn): Promise<void> {
  const { signal, picked, shared, dbType, language, granted } = way;
  const credential = picked ?? (await pickPasskey(await challenge(signal), { signal }));
  if (!credential) return;
  try {
    startSession(await sendRequest(loginByPasskey, { body: { credential, shared, db_type: dbType }, signal }));
  } catch (failure) {
    if (failure instanceof RequestFailure && failure.code === 'passkey_unknown')
      signalUnknownPasskey(failure.rp_id ?? location.hostname, failure.credential_id ?? credential.id);
    throw failure;
  }
  granted();
  forgetDraft('sign-in');
  tabStorage.write('entered_by', shared ? 'shared' : undefined);
  await goToLastPlace(language);
}

const challenge = (signal: AbortSignal) => sendRequest(passkeyChallenge, { body: {}, signal });

const renewedAfter = challengeLifetime - minutes(1);

/**
 * Offers passkeys among the suggestions of the email field, until one is picked. Replaces the challenge before it
 * expires, but not in a hidden tab. Returns a function that ends the offer.
 */
export function offerPasskeys(pick: (credential: UsedPasskey) => void): () => void {
  const ended = new AbortController();
  let round: AbortController | undefined;
  let begunAt = 0;
  const offer = async () => {
    round?.abort();
    const current = new AbortController();
    round = current;
    begunAt = Date.now();
    const credential = await pickPasskey(await challenge(current.signal), { autofill: true, signal: current.signal });
    if (credential && !ended.signal.aborted) pick(credential);
  };
  // The form works without suggestions, and an abort is our own.
  const begin = () => void offer().catch(() => undefined);
  const renew = () => {
    if (document.visibilityState === 'visible' && Date.now() - begunAt >= renewedAfter) begin();
  };
  const timer = setInterval(renew, renewedAfter);
  document.addEventListener('visibilitychange', renew);
  ended.signal.addEventListener('abort', () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', renew);
    round?.abort();
  });
  PublicKeyCredential.isConditionalMediationAvailable?.().then(
    (isAvailable) => isAvailable && !ended.signal.aborted && begin(),
    () => undefined,
  );
  return () => ended.abort();
}
