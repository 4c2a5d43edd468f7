import type { CDPSession, Locator, Page, Route } from 'playwright-core';
import type { Client } from '../src/testing/client.ts';
import { password, register } from '../src/testing/people.ts';
import type { TestSite } from './test-site.ts';

export const buttonOf = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** Sends the form of the sign-in page. */
export async function signIn(page: Page, email: string, word = password): Promise<void> {
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByLabel('Password', { exact: true }).fill(word);
  await buttonOf(page, 'Login').click();
}

/** Fills in the register form, except for the confirmation of the phone. */
export async function fillInRegistration<Person extends { readonly email: string; readonly phone: string }>(
  page: Page,
  person: Person,
): Promise<Person> {
  await page.getByLabel('Your Name').fill('Grace Hopper');
  await page.getByLabel('Email', { exact: true }).fill(person.email);
  await page.getByLabel('Phone number').fill(person.phone);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByLabel('Repeat password', { exact: true }).fill(password);
  await page.getByLabel('I agree to the processing of my personal data').check();
  return person;
}

/** Chooses another language in the menu, by its own name. */
export async function chooseLanguage(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: /Language/ }).click();
  await page.getByRole('link', { name }).click();
}

/** Types a new password into both fields. */
export async function typeNewPassword(page: Page, word: string): Promise<void> {
  await page.getByLabel('Enter new password', { exact: true }).fill(word);
  await page.getByLabel('Verify your password', { exact: true }).fill(word);
}

/** Signs someone new in, whose browser `prepare` gets first, and whose last place is the dashboard. */
export async function openDashboard(
  { server, visit }: TestSite,
  prepare: (browser: Client) => Promise<unknown> = async () => undefined,
): Promise<{ page: Page; browser: Client }> {
  const { email, browser } = await register(server);
  await browser.put('/additionally/way', { place: '/dashboard/' });
  await prepare(browser);
  const page = await visit('/');
  await signIn(page, email);
  await page.waitForURL('**/dashboard/');
  return { page, browser };
}

let reports = 0;

/** Sends a record of each kind from a computer. */
export function report({ server }: TestSite, computer: Client, ...kinds: string[]) {
  const records = kinds.map((kind) => {
    reports += 1;
    return { id: String(reports), at: server.now(), kind, text: 'As the device wrote it.' };
  });
  return computer.post('/computers/records', { records });
}

/** Pastes into an empty field, as a browser does. Its clipboard would also belong to tests that run at the same time. */
export const paste = (field: Locator, text: string): Promise<void> =>
  field.evaluate((element, pasted) => {
    const input = element as HTMLInputElement;
    input.focus();
    const clipboardData = new DataTransfer();
    clipboardData.setData('text', pasted);
    const isAllowed = input.dispatchEvent(
      new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
    );
    if (!isAllowed) return;
    input.value = '';
    input.setRangeText(pasted, 0, 0, 'end');
    input.dispatchEvent(new InputEvent('input', { inputType: 'insertFromPaste', data: pasted, bubbles: true }));
  }, text);

/**
 * Handles the next request to an address by hand and lets later requests pass. Playwright's own `times` stops
 * intercepting at an arbitrary moment: a request at that moment never gets a response.
 */
export function routeNext(
  page: Page,
  address: string | RegExp,
  handle: (route: Route) => Promise<unknown>,
): Promise<unknown> {
  let isOver = false;
  return page.route(address, (route) => {
    if (isOver) return route.fallback();
    isOver = true;
    return handle(route);
  });
}

/** Holds the next request to an address until the returned function is called, and then handles it. */
export async function holdNext(
  page: Page,
  address: string | RegExp,
  handle = (route: Route): Promise<void> => route.continue(),
): Promise<() => void> {
  const held = Promise.withResolvers<void>();
  await routeNext(page, address, async (route) => {
    await held.promise;
    await handle(route);
  });
  return () => held.resolve();
}

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

/** Adds a passkey of a new device on the page of an account's security. */
export async function addPasskey(site: TestSite, session: Client) {
  let device: VirtualAuthenticator | undefined;
  const page = await site.visit('/account/security/', {
    session,
    async prepare(fresh) {
      device = await addVirtualAuthenticator(fresh);
    },
  });
  await buttonOf(page, 'Add a passkey').click();
  await page.getByText('The passkey was added.').waitFor();
  return { page, device: device as VirtualAuthenticator };
}
