import * as z from 'zod/mini';
import { apiUrl, defineCallProvider, text } from '../define-provider.ts';
import { theirs, withoutPlus, writtenCode } from '../digits.ts';
import { CallRefused, type RefusalReason } from '../provider.ts';
import { form, type ProviderResponse, parseResponse, requestProvider } from '../provider-request.ts';

const refusal = z.object({ error: z.string(), error_code: z.number() });
const called = z.object({ id: z.union([z.string(), z.number()]), code: writtenCode });
const written = z.object({ id: z.union([z.string(), z.number()]) });
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
const reasonsOfAccounts: Readonly<Record<number, RefusalReason>> = { 2: 'credentials', 4: 'rate', 9: 'rate' };

function notRefused(answer: ProviderResponse, reasons: Readonly<Record<number, RefusalReason>>): ProviderResponse {
  const refused = refusal.safeParse(answer.body);
  if (!refused.success) return answer;
  const { error_code: code } = refused.data;
  throw new CallRefused(reasons[code] ?? 'unavailable', `SMSC’s error ${code}`);
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
        const answer = notRefused(await post('/sys/send.php', fields, signal), reasonsOfCalls);
        return theirs(parseResponse(called, answer).code);
      },
      async text({ phone, message = '' }, signal) {
        const fields = { phones: withoutPlus(phone), mes: message, charset: 'utf-8' };
        parseResponse(written, notRefused(await post('/sys/send.php', fields, signal), reasonsOfCalls));
        return { kind: 'ours' };
      },
      async examine(signal) {
        const answer = notRefused(await post('/sys/balance.php', { cur: '1' }, signal), reasonsOfAccounts);
        const { balance, currency } = parseResponse(account, answer);
        return { balance: [balance, currency].filter(Boolean).join(' ') };
      },
    };
  },
});
