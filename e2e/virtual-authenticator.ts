import type { CDPSession, Page } from 'playwright-core';

/** An authenticator inside Chromium, such as a laptop’s fingerprint reader (WebDriver extension of WebAuthn). */
export interface VirtualAuthenticator {
  /** Whether the user touches it as soon as the browser asks. */
  touch(isTouched: boolean): Promise<void>;
  /** Whether it recognizes the user. */
  recognize(isRecognized: boolean): Promise<void>;
  passkeys(): Promise<number>;
}

/** Gives a page its own authenticator, which the user touches immediately; at most one of them is `internal`. */
export async function addVirtualAuthenticator(
  page: Page,
  transport: 'internal' | 'usb' = 'internal',
): Promise<VirtualAuthenticator> {
  const session: CDPSession = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport,
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    async touch(enabled) {
      await session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled });
    },
    async recognize(isUserVerified) {
      await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });
    },
    async passkeys() {
      return (await session.send('WebAuthn.getCredentials', { authenticatorId })).credentials.length;
    },
  };
}

/** Runs in the page: conditional creation never ends in headless Chromium, so it becomes a creation with a prompt. */
export function createWithPrompt(): void {
  const { credentials } = navigator;
  const create = credentials.create.bind(credentials);
  credentials.create = ({ ...options } = {}) => {
    Reflect.deleteProperty(options, 'mediation');
    return create(options);
  };
  PublicKeyCredential.getClientCapabilities = async () => ({ conditionalCreate: true });
}
