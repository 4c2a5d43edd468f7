import type { IncomingMessage } from 'node:http';
import type { LanguageCode } from '../../../contract/languages.ts';

/** The browser behind a request as we verified it; the provider reads this instead of its headers and cookies. */
export interface BrowserRequest {
  /** Id of our live session in this browser. */
  readonly sessionId: string | undefined;
  /** The language of our pages, unless the application requests another one. */
  readonly language: LanguageCode;
  /** The address that lockouts count by. */
  readonly source: string;
}

const requests = new WeakMap<IncomingMessage, BrowserRequest>();

export const describeRequest = (raw: IncomingMessage, request: BrowserRequest): unknown => requests.set(raw, request);

/** Throws if the request did not come through our routes. */
export function browserRequestOf(raw: IncomingMessage): BrowserRequest {
  const known = requests.get(raw);
  if (!known) throw new Error('the OpenID provider received a request around its routes');
  return known;
}
