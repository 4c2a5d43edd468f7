import * as z from 'zod/mini';
import { apiUrl, CallRefused, defineCallProvider, headerKey, type RefusalReason } from '../provider.ts';
import {
  json,
  type ProviderResponse,
  parseResponse,
  reasonOfStatus,
  redactResponse,
  refusedInWords,
  requestProvider,
  withoutPlus,
  writtenId,
} from '../provider-request.ts';

const refusal = z.object({ success: z.optional(z.literal(false)), message: z.string() });
const called = z.object({ success: z.literal(true), data: z.object({ key: writtenId }) });
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
 */
export const plusofon = defineCallProvider({
  name: 'plusofon',
  needed: { PLUSOFON_TOKEN: headerKey },
  other: { PLUSOFON_URL: z._default(apiUrl, 'https://restapi.plusofon.ru') },
  open({ PLUSOFON_TOKEN, PLUSOFON_URL: base }) {
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
    return {
      async place({ phone, code }, signal) {
        parseResponse(called, notRefused(await post('send', { phone: withoutPlus(phone), pin: code }, signal)));
        return { kind: 'ours' };
      },
      async readStatus(signal) {
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
