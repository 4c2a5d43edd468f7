import type { Client as Browser } from './client.ts';
import { ask } from './guarded-app.ts';
import type { TestServer } from './test-server.ts';

interface Guarded {
  /** The id of the client. */
  readonly client: string;
  /** The protected origin, with https. */
  readonly origin: string;
}

/** Signs a signed-in browser in to a guarded application, and returns the cookie header for its host. */
export async function guardCookie({ url, config }: TestServer, browser: Browser, { client, origin }: Guarded) {
  const own = forwarded(origin);
  const cookieIn = (lines: readonly string[] | undefined) =>
    lines?.map((line) => line.split(';', 1)[0]).join('; ') ?? '';
  const start = await ask(`${url}/.vestibule/start?client=${client}&place=/`, own);
  const entrance = await browser.get((start.headers.location ?? '').replace(config.PUBLIC_URL, ''));
  const callback = new URL(entrance.headers.get('location') ?? '');
  const cookie = cookieIn(start.headers['set-cookie']);
  const back = await ask(`${url}${callback.pathname}${callback.search}`, { ...own, cookie });
  return cookieIn(back.headers['set-cookie']);
}

/** The status of a guarded request with a cookie. */
export async function guardStatus(
  { url }: Pick<TestServer, 'url'>,
  { client, origin, cookie }: Guarded & { readonly cookie: string },
): Promise<number> {
  return (await ask(`${url}/forward-auth/${client}`, { ...forwarded(origin), cookie })).status;
}

const forwarded = (origin: string) => ({
  'x-forwarded-host': new URL(origin).host,
  'x-forwarded-proto': 'https',
  'x-forwarded-for': '203.0.113.9',
});
