/** Whether the browser supports passkeys. On pages without TLS it does not. */
export const hasPasskeys = (): boolean => typeof PublicKeyCredential === 'function';

/**
 * How a passkey can come onto this device: without a prompt, after a sign-in with a password that the browser keeps; with
 * a prompt; or not at all.
 */
export async function passkeyCreation(): Promise<'automatic' | 'prompted' | undefined> {
  const capabilities = await PublicKeyCredential.getClientCapabilities?.().catch(() => undefined);
  if (capabilities?.conditionalCreate) return 'automatic';
  const isAvailable = await PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable().catch(() => false);
  return isAvailable ? 'prompted' : undefined;
}

/*
 * The signals of WebAuthn Level 3, section 5.1.10: password managers then stop offering passkeys that no longer work, and
 * show the current name of an account. A browser without them does nothing.
 */

interface Owner {
  readonly rpId: string;
  /** Base64url. */
  readonly userId: string;
}

/** Runs a signal that the browser may lack or refuse. */
const quietly = (signal: () => Promise<unknown> | undefined): void => {
  try {
    void signal()?.catch(() => undefined);
  } catch {
    // A signal is a courtesy: the page works without it.
  }
};

/** The passkey exists nowhere on the server. */
export const signalUnknownPasskey = (rpId: string, credentialId: string): void =>
  quietly(() => PublicKeyCredential.signalUnknownCredential?.({ rpId, credentialId }));

/** These are all passkeys of the account. */
export const signalAcceptedPasskeys = ({ rpId, userId }: Owner, allAcceptedCredentialIds: string[]): void =>
  quietly(() => PublicKeyCredential.signalAllAcceptedCredentials?.({ rpId, userId, allAcceptedCredentialIds }));

/** The names under which password managers show the account. */
export const signalPasskeyOwner = ({ rpId, userId }: Owner, details: { name: string; displayName: string }): void =>
  quietly(() => PublicKeyCredential.signalCurrentUserDetails?.({ rpId, userId, ...details }));
