import { seconds } from '../../contract/units.ts';

/** What `platform/early-requests.ts` requested while the page's code was still loading. */
interface EarlyReads {
  /** The access token of the requests. */
  readonly token: string;
  /** Responses by path; undefined for a request without a response. */
  readonly responses: Map<string, Promise<Response | undefined>>;
}

declare global {
  var earlyReads: EarlyReads | undefined;
}

/** Milliseconds since the page began to load. Afterward the data may be outdated, so it is read again. */
const freshFor = seconds(15);

/** Takes the early response to a read, if there is a fresh one for this token. Each is taken once. */
export function takeEarlyRead(path: string, token: string | undefined): Promise<Response | undefined> | undefined {
  const { earlyReads } = globalThis;
  if (!earlyReads || earlyReads.token !== token || performance.now() > freshFor) return undefined;
  const response = earlyReads.responses.get(path);
  earlyReads.responses.delete(path);
  return response;
}
