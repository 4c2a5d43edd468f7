/*
 * Passkeys of the states: a state’s `before` decides how the browser’s dialog ends. `emptySurroundings` restores the
 * browser’s own.
 */

const bytes = (text: string): ArrayBuffer => new TextEncoder().encode(text).buffer as ArrayBuffer;

const credential = {
  id: 'cGFzc2tleQ',
  rawId: bytes('passkey'),
  type: 'public-key',
  authenticatorAttachment: 'platform',
  getClientExtensionResults: () => ({}),
  response: {
    clientDataJSON: bytes('{}'),
    authenticatorData: bytes('data'),
    signature: bytes('signature'),
    userHandle: bytes('user'),
    attestationObject: bytes('object'),
    getTransports: () => ['internal'],
  },
};

/** Replaces the browser’s passkeys; a suggestion of the email field stays without one. */
function own(end: () => Promise<unknown>): void {
  const use = ({ mediation }: { mediation?: string }) =>
    mediation === 'conditional' ? new Promise(() => undefined) : end();
  Object.defineProperty(navigator, 'credentials', { configurable: true, value: { get: use, create: use } });
  createsOnItsOwn(false);
}

function createsOnItsOwn(conditionalCreate: boolean): void {
  Object.defineProperties(PublicKeyCredential, {
    getClientCapabilities: { configurable: true, value: async () => ({ conditionalCreate }) },
    isUserVerifyingPlatformAuthenticatorAvailable: { configurable: true, value: async () => true },
  });
}

/** The user picks or creates a passkey. */
export const usesPasskey = (): void => own(async () => credential);

/** The user closes the dialog. */
export const cancelsPasskey = (): void =>
  own(() => Promise.reject(new DOMException('The user canceled.', 'NotAllowedError')));

let closeDialog: (() => void) | undefined;

/** The dialog stays open until the next state. */
export const waitsForPasskey = (): void =>
  own(
    () =>
      new Promise((_, reject) => {
        closeDialog = () => reject(new DOMException('The next state begins.', 'AbortError'));
      }),
  );

/** The device has a passkey of the account already. */
export const hasPasskeyAlready = (): void =>
  own(() => Promise.reject(new DOMException('It exists.', 'InvalidStateError')));

/** The browser creates passkeys without a prompt. */
export const createsAutomatically = (): void => {
  const create = async () => credential;
  Object.defineProperty(navigator, 'credentials', { configurable: true, value: { create } });
  createsOnItsOwn(true);
};

/** An old browser. */
export const lacksPasskeys = (): void => {
  Object.defineProperty(window, 'PublicKeyCredential', { configurable: true, writable: true, value: undefined });
};

const { PublicKeyCredential: original } = globalThis;
const originalCapabilities = original && Object.getOwnPropertyDescriptor(original, 'getClientCapabilities');

/** Restores the browser’s own passkeys. */
export function restorePasskeys(): void {
  closeDialog?.();
  if (!original) return;
  Object.defineProperty(window, 'PublicKeyCredential', { configurable: true, writable: true, value: original });
  // Headless Chromium creates none without a prompt, and never says so.
  Object.defineProperty(original, 'getClientCapabilities', {
    configurable: true,
    ...(originalCapabilities ?? { value: undefined }),
  });
}
