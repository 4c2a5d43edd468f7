import * as z from 'zod/mini';
import type { RefusalReason } from '../provider.ts';
import { writtenInteger } from '../requests/digits.ts';
import {
  type ProviderRequest,
  type ProviderResponse,
  reasonOfStatus,
  refusedWith,
  requestProvider,
} from '../requests/provider-request.ts';

const refusal = z.object({ code: writtenInteger });

export const called = z.object({ sid: z.string().check(z.regex(/^CA[\da-f]{32}$/i)) });

/** https://www.twilio.com/docs/api/errors; for other codes, the HTTP status decides. */
const reasons: Readonly<Record<number, RefusalReason>> = {
  10001: 'credentials', // the account is not active; an empty one is suspended
  10002: 'credentials', // a trial account
  10004: 'rate', // too many concurrent calls
  10005: 'credentials', // voice is disabled for the account
  13227: 'rejected', // no permission for the country
  20003: 'credentials',
  20005: 'credentials',
  20429: 'rate',
  21210: 'credentials', // a number of the pool does not belong to the account
  21211: 'number',
  21212: 'credentials', // a number of the pool is invalid
  21214: 'rejected',
  21215: 'rejected', // no permission for the country
  21216: 'rejected',
  21217: 'number',
  21408: 'rejected', // text messages to this country are not allowed
  21606: 'credentials', // the sender does not belong to the account
  21610: 'rejected', // the person has sent STOP
  21614: 'rejected', // valid, but not a mobile number
  21659: 'credentials', // the sender does not belong to the account
  21219: 'rejected', // a trial account can call only confirmed numbers
};

export type AskTwilio = (
  question: Pick<ProviderRequest, 'method' | 'path' | 'body' | 'signal'>,
) => Promise<ProviderResponse>;

/** Sends requests below the account's own URL; throws `CallRefused` if Twilio refuses one. */
export function askTwilio({ base, sid, token }: { base: string; sid: string; token: string }): AskTwilio {
  const headers = { authorization: `Basic ${Buffer.from(`${sid}:${token}`).toString('base64')}` };
  return async ({ path = '', ...question }) => {
    const account = `/2010-04-01/Accounts/${encodeURIComponent(sid)}`;
    const response = await requestProvider({ ...question, base, path: account + path, headers });
    if (response.status < 300) return response;
    const read = refusal.safeParse(response.body);
    const code = read.success ? read.data.code : response.status;
    const { status } = response;
    throw refusedWith(status, reasons[code] ?? reasonOf(status), `Twilio’s error ${code} (HTTP ${status})`);
  };
}

const reasonOf = (status: number): RefusalReason => (status === 400 ? 'rejected' : reasonOfStatus(status));
