import * as z from 'zod/mini';
import { apiUrl, defineCallProvider, headerKey, onOrOff } from '../define-provider.ts';
import {
  type AwaitedCall,
  type CallPlacement,
  CallRefused,
  type RefusalReason,
  type ReportFields,
} from '../provider.ts';
import { russianNumber, withoutPlus, writtenId } from '../requests/digits.ts';
import {
  json,
  type ProviderResponse,
  parseResponse,
  reasonOfStatus,
  refusedInWords,
  requestProvider,
} from '../requests/provider-request.ts';
import { redactResponse } from '../requests/redact-response.ts';

const refusal = z.object({ success: z.optional(z.literal(false)), message: z.string() });
const called = z.object({ success: z.literal(true), data: z.object({ key: writtenId }) });
const awaited = z.object({ success: z.literal(true), data: z.object({ key: writtenId, phone: russianNumber }) });
const report = z.object({ key: writtenId, phone: russianNumber });
const checked = z.union([
  z.object({ success: z.boolean(), message: z.optional(z.string()) }),
  z.object({ success: z.optional(z.undefined()), message: z.string() }),
]);

/** The same for every customer. */
const client = '10553';

function reasonOf(status: number, said: string): RefusalReason {
  if (/balance|баланс|средств|пакет/i.test(said)) return 'balance';
  return status === 400 || status === 422 ? 'rejected' : reasonOfStatus(status);
}

function notRefused(response: ProviderResponse): ProviderResponse {
  const refused = refusal.safeParse(response.body);
  if (!refused.success) return response;
  const [{ message }, { status }] = [refused.data, response];
  throw refusedInWords(
    status,
    reasonOf(status, message),
    `refused by Plusofon (HTTP ${status})${redactResponse(message)}`,
  );
}

/** A key that does not exist: Plusofon's response shows whether our token is valid, and no phone rings. */
const noKey = 'vestibule-doctor';

/**
 * Plusofon, `flash-call/send` with our `pin`, the last digits of the number that calls, so we know them without a query
 * (https://help.plusofon.ru/api/v1/flash-call). The token is that of a Flash Call account, not of the customer account.
 * `flash-call/call-to-auth` names a number that the user calls, and posts `key` and `phone` to our `hook_url`. We have
 * not seen their description, and public clients differ about whose number `phone` is: only the user's own one confirms.
 */
export const plusofon = defineCallProvider({
  name: 'plusofon',
  needed: { PLUSOFON_TOKEN: headerKey },
  other: { PLUSOFON_REVERSE: onOrOff, PLUSOFON_URL: z._default(apiUrl, 'https://restapi.plusofon.ru') },
  open({ PLUSOFON_TOKEN, PLUSOFON_REVERSE, PLUSOFON_URL: base }) {
    const headers = { authorization: `Bearer ${PLUSOFON_TOKEN}`, client };
    const post = (path: string, fields: object, signal: AbortSignal) =>
      requestProvider({
        method: 'POST',
        base,
        path: `/api/v1/flash-call/${path}`,
        headers,
        body: json(fields),
        signal,
      });
    const reverse = {
      async await({ phone, reportUrl }: AwaitedCall, signal: AbortSignal): Promise<CallPlacement> {
        const fields = { phone: withoutPlus(phone), hook_url: reportUrl };
        const { data } = parseResponse(awaited, notRefused(await post('call-to-auth', fields, signal)));
        return { kind: 'awaited', number: data.phone, reference: data.key };
      },
      readReport(fields: ReportFields) {
        const { data } = report.safeParse(fields);
        return data && { phone: data.phone, reference: data.key };
      },
    };
    return {
      ...(PLUSOFON_REVERSE === 'on' && reverse),
      // Its numbers are Russian.
      reaches: (way, { country }) => way !== 'reverse' || country === 'RU',
      async place({ phone, code }, signal) {
        parseResponse(called, notRefused(await post('send', { phone: withoutPlus(phone), pin: code }, signal)));
        return { kind: 'ours' };
      },
      async examine(signal) {
        parseResponse(checked, aboutTheKey(await post('check', { key: noKey, pin: '0000' }, signal)));
        return { warning: 'only Plusofon’s own website shows the balance' };
      },
    };
  },
});

/** Passes on a response about the key; throws if it is about our account or about Plusofon itself. */
function aboutTheKey(response: ProviderResponse): ProviderResponse {
  const { status } = response;
  if (![401, 402, 403, 429].includes(status) && status < 500) return response;
  throw new CallRefused(reasonOfStatus(status), `refused by Plusofon (HTTP ${status})`);
}
