import * as z from 'zod/mini';
import { apiUrl, CallRefused, type Delivery, defineCallProvider, type RefusalReason, text } from '../provider.ts';
import {
  form,
  type ProviderResponse,
  parseResponse,
  requestProvider,
  theirs,
  withoutPlus,
  writtenCode,
  writtenId,
  writtenInteger,
} from '../provider-request.ts';

const refusal = z.object({ error: z.string(), error_code: writtenInteger });
const called = z.object({ id: writtenId, code: writtenCode });
const written = z.object({ id: writtenId });
const account = z.object({ balance: z.union([z.string(), z.number()]), currency: z.optional(z.string()) });

const reasonsOfCalls: Readonly<Record<number, RefusalReason>> = {
  2: 'credentials',
  3: 'balance',
  4: 'rate', // our address is blocked temporarily, after many errors
  6: 'rejected',
  7: 'number',
  8: 'rejected',
  9: 'rate',
};
const standing = z.object({ status: writtenInteger });
/** https://smsc.ru/api/http/status_messages/; any other status means that the message is under way. */
const deliveries: Readonly<Record<number, Delivery>> = {
  1: 'delivered',
  2: 'delivered',
  3: 'lost', // expired
  4: 'delivered', // a link in it was followed
  20: 'lost', // cannot be delivered
  22: 'lost', // wrong number
  23: 'lost', // forbidden
  24: 'lost', // our balance was too low
  25: 'lost', // the number cannot be reached
};

const reasonsOfAccounts: Readonly<Record<number, RefusalReason>> = { 2: 'credentials', 4: 'rate', 9: 'rate' };

function notRefused(response: ProviderResponse, reasons: Readonly<Record<number, RefusalReason>>): ProviderResponse {
  const refused = refusal.safeParse(response.body);
  if (!refused.success) return response;
  const { error_code: code } = refused.data;
  // Every documented error means that nothing was sent.
  throw new CallRefused(reasons[code] ?? 'unavailable', `SMSC’s error ${code}`, { mayRing: 0 });
}

/**
 * SMSC. `send.php` with `call=1` and the text `code` reports the six digits that will ring, and we use the last four.
 * Without `call`, it sends a text message (https://smsc.ru/api/http/send/sms/, https://smsc.ru/api/http/balance/).
 */
export const smsc = defineCallProvider({
  name: 'smsc',
  needed: { SMSC_LOGIN: text, SMSC_PASSWORD: text },
  other: { SMSC_URL: z._default(apiUrl, 'https://smsc.ru') },
  open({ SMSC_LOGIN: login, SMSC_PASSWORD: psw, SMSC_URL: base }) {
    const post = (path: string, fields: Record<string, string>, signal: AbortSignal) =>
      requestProvider({ method: 'POST', base, path, body: form({ login, psw, fmt: '3', ...fields }), signal });
    return {
      async place({ phone }, signal) {
        const fields = { phones: withoutPlus(phone), mes: 'code', call: '1' };
        const response = notRefused(await post('/sys/send.php', fields, signal), reasonsOfCalls);
        return theirs(parseResponse(called, response).code);
      },
      sendsOwnWords: true,
      async text({ phone, message = '', sender }, signal) {
        const fields = { phones: withoutPlus(phone), mes: message, charset: 'utf-8', ...(sender && { sender }) };
        const { id } = parseResponse(written, notRefused(await post('/sys/send.php', fields, signal), reasonsOfCalls));
        // SMSC finds a message only by its id and its number.
        return { kind: 'ours', reference: `${id},${fields.phones}` };
      },
      async delivery({ reference }, signal) {
        const [id = '', phone = ''] = reference.split(',');
        const response = notRefused(await post('/sys/status.php', { id, phone }, signal), reasonsOfAccounts);
        return deliveries[parseResponse(standing, response).status] ?? 'under way';
      },
      async readStatus(signal) {
        const response = notRefused(await post('/sys/balance.php', { cur: '1' }, signal), reasonsOfAccounts);
        const { balance, currency } = parseResponse(account, response);
        return { balance: [balance, currency].filter(Boolean).join(' ') };
      },
    };
  },
});
