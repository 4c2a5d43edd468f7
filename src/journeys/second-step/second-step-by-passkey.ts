import type { Browser } from '../../access/admission.ts';
import { requestUse } from '../../access/passkeys/request-challenge.ts';
import { type UsedPasskey, usePasskey } from '../../access/passkeys/use-passkey.ts';
import { refuse } from '../../contract/refuse.ts';
import type { AdmissionResult } from '../../contract/sign-in/authentication.ts';
import type { Service } from '../../server/service.ts';
import { passkeysOf } from '../../store/access/passkeys/passkeys.ts';
import { admitSecond, knownDeviceOf } from './admit-second.ts';
import { openPendingSignIn, type PendingBrowser } from './open-pending-sign-in.ts';
import { secondStep, secondStepChallenge } from './second-step.contract.ts';

/** Returns the options for a second step with a passkey of the account. Refuses with `sign_in_expired`. */
export async function requestSecondStep(
  service: Service,
  { pending: presented, browserSecret }: { readonly pending: PendingBrowser; readonly browserSecret: string },
) {
  const opened = await openPendingSignIn(service, presented);
  if (!opened) throw refuse(secondStepChallenge, 'sign_in_expired');
  const { account, pending } = opened;
  const bound = { accountId: account.id, sessionId: pending.token_hash };
  const passkeys = await passkeysOf(service.store, account.id);
  return requestUse(service, { purpose: 'second_step', browserSecret, ...bound }, passkeys);
}

interface PasskeyStep {
  readonly pending: PendingBrowser;
  readonly browser: Omit<Browser, 'shared'>;
  readonly proof: { readonly credential?: UsedPasskey | undefined };
  readonly browserSecret: string | undefined;
  readonly remember: boolean;
}

/**
 * Completes a sign-in with a passkey of the account. It cannot be guessed, so it needs no lockout. Refuses with
 * `sign_in_expired`, `challenge_expired`, `passkey_refused`, or `email_cannot_be_used` for a locked account.
 */
export async function completeByPasskey(service: Service, request: PasskeyStep): Promise<AdmissionResult> {
  const { pending: presented, browser, browserSecret, remember } = request;
  const { credential } = request.proof;
  if (!credential || !service.config.relyingParty) throw refuse(secondStep, 'passkey_refused');
  const opened = await openPendingSignIn(service, presented);
  if (!opened) throw refuse(secondStep, 'sign_in_expired');
  const isKnown = (await knownDeviceOf(service, opened, browser)) !== undefined;
  const bound = { accountId: opened.account.id, sessionId: opened.pending.token_hash };
  const use = { endpoint: secondStep, purpose: 'second_step', credential, browserSecret, ...bound } as const;
  return usePasskey(service, { ...use, visitor: browser.visitor }, ({ amr, redeem }) =>
    admitSecond(service, { ...opened, browser, isKnown, remember }, async (trx, { at }) => {
      await redeem(trx, at);
      return amr;
    }),
  );
}
