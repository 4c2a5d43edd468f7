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
