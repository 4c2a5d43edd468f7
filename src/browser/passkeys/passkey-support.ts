/** Whether the browser has passkeys at all. It has none on pages without TLS. */
export const hasPasskeys = (): boolean => typeof PublicKeyCredential === 'function';

/** Whether the browser can create a passkey without a prompt, after a sign-in with a password that it keeps. */
export async function createsPasskeysAutomatically(): Promise<boolean> {
  const capabilities = await PublicKeyCredential.getClientCapabilities?.().catch(() => undefined);
  return capabilities?.conditionalCreate === true;
}
