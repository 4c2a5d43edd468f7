import { recordRequests } from '../requests/record-requests.ts';
import { sendRequest } from '../requests/send-request.ts';
import type { Detour } from './middleware.ts';
import type { Place } from './route.ts';

/** The request for the operator's redirect rule for a path. */
export const ruleRequest = recordRequests(async (signal, path: string) => {
  const { redirectRule } = await import('../../contract/pages/last-place.ts');
  return sendRequest(redirectRule, { query: { path }, signal });
});

/** The detour of an operator's redirect rule, if one applies to a place. */
export async function ruledDetour({ url }: Place): Promise<Detour | undefined> {
  const { redirect } = await ruleRequest.send(url.pathname);
  if (redirect === undefined || new URL(redirect, url).href === url.href) return undefined;
  return URL.canParse(redirect) ? { leave: redirect } : { go: new URL(redirect, url).href };
}
