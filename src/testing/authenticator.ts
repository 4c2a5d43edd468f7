import { codeOf, fromBase32, stepAt } from '../security/factors.ts';
import { type Client, statusAndCode } from './client.ts';
import { password, register } from './people.ts';
import type { TestServer } from './test-server.ts';

/** An authenticator app on a phone. */
export interface TestAuthenticator {
  /** The code of the present moment; with `steps`, of a later or an earlier one. */
  code(steps?: number): string;
  /** Waits until the app shows another code, and returns it. */
  nextCode(): string;
  readonly recoveryCodes: readonly string[];
}

/** An authenticator app with this secret (base32). */
export function authenticatorWith(server: TestServer, secret: string, recoveryCodes: readonly string[] = []) {
  const bytes = fromBase32(secret) ?? Buffer.alloc(0);
  const code = (steps = 0) => codeOf(bytes, stepAt(server.now()) + steps);
  const nextCode = () => {
    server.forward(30_000);
    return code();
  };
  return { code, nextCode, recoveryCodes } satisfies TestAuthenticator;
}

/** Sets up an authenticator in a browser that has just signed in. */
export async function addAuthenticator(server: TestServer, browser: Client): Promise<TestAuthenticator> {
  const { status, body } = await browser.post('/account/authenticator');
  if (status !== 201) throw new Error(`no authenticator: ${JSON.stringify(body)}`);
  const confirmed = await browser.post('/account/authenticator/confirm', {
    code: authenticatorWith(server, body.secret).code(),
  });
  if (confirmed.status !== 200) throw new Error(`not confirmed: ${JSON.stringify(confirmed.body)}`);
  return authenticatorWith(server, body.secret, confirmed.body.recovery_codes);
}

/** A person with an authenticator, whose browser is signed in. */
export async function registerWithAuthenticator(server: TestServer) {
  const person = await register(server);
  return { ...person, app: await addAuthenticator(server, person.browser) };
}

/** A browser whose first factor was right. */
export async function beginSignIn(server: TestServer, email: string, sent: object = {}): Promise<Client> {
  const browser = server.client();
  const response = await browser.post('/auth/login', { email, password, ...sent });
  if (response.body.code !== 'second_step_required') throw new Error(`no second step: ${statusAndCode(response)}`);
  return browser;
}
