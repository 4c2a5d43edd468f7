import { csrfCookie } from '../../src/contract/pages.ts';
import type { Client } from '../../src/testing/client.ts';
import { newBrowser } from '../fixtures/visitors.ts';
import type { FloodRequest } from './attacker.ts';

/** The headers of a browser with its cookies. */
export function headersOf(browser: Client): Record<string, string> {
  const cookies = [...browser.cookies].map(([name, value]) => `${name}=${value}`);
  return { Cookie: cookies.join('; '), 'X-CSRF-Token': browser.cookies.get(csrfCookie) ?? '' };
}

/** A browser without a session. */
export async function strangerAt(url: string): Promise<Client> {
  const browser = newBrowser(url);
  await browser.get('/auth/csrf');
  return browser;
}

/** Sign-ins with wrong passwords, for many addresses. */
export const wrongPasswords = (stranger: Client): FloodRequest => ({
  method: 'POST',
  path: '/auth/login',
  headers: headersOf(stranger),
  body: { email: 'nobody%n@example.com', password: 'a wrong one' },
});

/** The cheapest refusal: what any flood costs on this machine. */
export const unknownPaths: FloodRequest = { method: 'GET', path: '/assets/none' };
