import type { Client as Browser } from '../client.ts';
import type { TestServer } from '../test-server.ts';
import { type Application, authorizationRequest, follow, locationOf } from './application.ts';

/** Opens a request of an application in a browser. Returns the id of the request that our page continues. */
export async function openRequest(
  server: TestServer,
  { app, browser, parameters = {} }: { app: Application; browser: Browser; parameters?: Record<string, string> },
) {
  const request = await authorizationRequest(app, parameters);
  const target = locationOf(await follow(browser, server, request.url), server);
  return { request, target, id: target.searchParams.get('request') ?? '' };
}

/** The request as our page reads it. */
export const stepOf = async (browser: Browser, id: string) => (await browser.get(`/connect/requests/${id}/step`)).body;

/** Presses a button of our page, and follows where it leads. */
export async function decideAs(
  server: TestServer,
  { browser, id, allow }: { browser: Browser; id: string; allow: boolean },
): Promise<URL> {
  const { body } = await browser.post(`/connect/requests/${id}`, { allow });
  return locationOf(await follow(browser, server, body.to), server);
}

/** Continues a request for which the person has signed in. */
export async function continueAs(server: TestServer, { browser, id }: { browser: Browser; id: string }): Promise<URL> {
  const { to } = await stepOf(browser, id);
  return locationOf(await follow(browser, server, to), server);
}
