import { challengeLifetime } from '../../contract/sign-in/lifetimes.ts';
import { randomSecret, sha256 } from '../../security/secrets.ts';
import type { RelyingParty } from '../../security/web-authn/web-authn.ts';
import type { Service } from '../../server/service.ts';
import { type ChallengePurpose, challenges } from '../../store/access/passkeys/passkey-challenges.ts';
import type { PasskeysTable } from '../../store/access/passkeys/passkeys.ts';

export interface ChallengeRequest {
  readonly purpose: ChallengePurpose;
  /** The secret cookie of the browser. */
  readonly browserSecret: string;
  /** Absent for a sign-in, which begins without an account. */
  readonly accountId?: string | undefined;
  readonly sessionId?: string | undefined;
  /** The browser creates the passkey without a prompt. */
  readonly automatic?: boolean | undefined;
}

/** Stores a new challenge and returns it. Earlier challenges of the same browser stay valid. */
export async function requestChallenge({ store, now }: Service, request: ChallengeRequest): Promise<string> {
  const challenge = randomSecret(256);
  await challenges.add(store, {
    hash: sha256(challenge),
    purpose: request.purpose,
    browser_hash: sha256(request.browserSecret),
    account_id: request.accountId ?? null,
    session_id: request.sessionId ?? null,
    automatic: request.automatic ? 1 : 0,
    created_at: now(),
  });
  return challenge;
}

/** The domain and origins of passkeys. Routes that need them are not mounted without passkeys. */
export function relyingPartyOf({ config }: Pick<Service, 'config'>): RelyingParty {
  if (!config.relyingParty) throw new Error('passkeys are off');
  return config.relyingParty;
}

/** Names a passkey for the browser. */
export const descriptorOf = ({ id, transports }: Pick<PasskeysTable, 'id' | 'transports'>) => ({
  id,
  type: 'public-key' as const,
  ...(transports && { transports: transports.split(',') }),
});

/** Requests a challenge and returns the options for `navigator.credentials.get`, for these passkeys or any of the site. */
export async function requestUse(service: Service, request: ChallengeRequest, passkeys?: readonly PasskeysTable[]) {
  return {
    challenge: await requestChallenge(service, request),
    timeout: challengeLifetime,
    rpId: relyingPartyOf(service).id,
    userVerification: 'required' as const,
    ...(passkeys && { allowCredentials: passkeys.map(descriptorOf) }),
  };
}
