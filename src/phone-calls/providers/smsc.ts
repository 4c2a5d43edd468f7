import { createHash, timingSafeEqual } from 'node:crypto';
import * as z from 'zod/mini';
import { seconds } from '../../contract/durations.ts';
import { apiUrl, defineCallProvider, text } from '../define-provider.ts';
import {
  type AwaitedCall,
  type CallPlacement,
  CallRefused,
  type Delivery,
  type RefusalReason,
  type ReportFields,
} from '../provider.ts';
import { russianNumber, theirs, withoutPlus, writtenCode, writtenId, writtenInteger } from '../requests/digits.ts';
import { form, type ProviderResponse, parseResponse, requestProvider } from '../requests/provider-request.ts';

const refusal = z.object({ error: z.string(), error_code: writtenInteger });
const called = z.object({ id: writtenId, code: writtenCode });
const written = z.object({ id: writtenId });
const awaited = z.object({ phone: russianNumber });
const report = z.object({
  waitcall: z.literal('1'),
  phone: z.string().check(z.regex(/^\+?\d{1,15}$/)),
  /** Seconds since the epoch. */
  ts: z.string().check(z.regex(/^\d{9,11}$/)),
  md5: z.string().check(z.regex(/^[\da-f]{32}$/i)),
});
const account = z.object({ balance: z.union([z.string(), z.number()]), currency: z.optional(z.string()) });

const reportSecret = z.string().check(z.minLength(16, 'must be a secret word of at least 16 characters'));

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

const reasonsOfWaits: Readonly<Record<number, RefusalReason>> = {
  2: 'credentials',
  3: 'balance',
  4: 'rate',
  9: 'rate',
};
const reasonsOfAccounts: Readonly<Record<number, RefusalReason>> = { 2: 'credentials', 4: 'rate', 9: 'rate' };

function notRefused(response: ProviderResponse, reasons: Readonly<Record<number, RefusalReason>>): ProviderResponse {
  const refused = refusal.safeParse(response.body);
  if (!refused.success) return response;
  const { error_code: code } = refused.data;
  // Every documented error means that nothing was sent.
  throw new CallRefused(reasons[code] ?? 'unavailable', `SMSC’s error ${code}`, { mayRing: 0 });
}

/** `md5` of a report is that of `phone:ts:secret`, with the secret word of the account's settings. */
const isSigned = ({ phone, ts, md5 }: z.output<typeof report>, secret: string): boolean =>
  timingSafeEqual(createHash('md5').update(`${phone}:${ts}:${secret}`).digest(), Buffer.from(md5, 'hex'));

/**
 * SMSC. `send.php` with `call=1` and the text `code` reports the six digits that will ring, and we use the last four.
 * Without `call`, it sends a text message (https://smsc.ru/api/http/send/sms/, https://smsc.ru/api/http/balance/).
 * `wait_call.php` names a number that the user calls; the call is reported to the URL in the account's settings, which
 * also gets other reports (https://smsc.ru/api/http/miscellaneous/waitcall/). We have not seen that page’s description of
 * the report: its fields follow public clients.
 */
export const smsc = defineCallProvider({
  name: 'smsc',
  needed: { SMSC_LOGIN: text, SMSC_PASSWORD: text },
  other: { SMSC_REPORT_SECRET: z.optional(reportSecret), SMSC_URL: z._default(apiUrl, 'https://smsc.ru') },
  open({ SMSC_LOGIN: login, SMSC_PASSWORD: psw, SMSC_REPORT_SECRET: secret, SMSC_URL: base }) {
    const post = (path: string, fields: Record<string, string>, signal: AbortSignal) =>
      requestProvider({ method: 'POST', base, path, body: form({ login, psw, fmt: '3', ...fields }), signal });
    const reverseWith = (word: string) => ({
      async await({ phone }: AwaitedCall, signal: AbortSignal): Promise<CallPlacement> {
        const fields = { phone: withoutPlus(phone) };
        const response = notRefused(await post('/sys/wait_call.php', fields, signal), reasonsOfWaits);
        const { phone: number } = parseResponse(awaited, response);
        // SMSC's reports name the user's phone, and no call.
        return { kind: 'awaited', number, reference: withoutPlus(phone) };
      },
      readReport(fields: ReportFields) {
        const { data } = report.safeParse(fields);
        if (!data || !isSigned(data, word)) return undefined;
        return { phone: `+${withoutPlus(data.phone)}`, at: Number(data.ts) * seconds(1) };
      },
      signsReports: true as const,
    });
    return {
      ...(secret !== undefined && reverseWith(secret)),
      // The documentation names no other countries.
      reaches: (way, { country }) => way !== 'reverse' || country === 'RU' || country === 'KZ',
      async place({ phone }, signal) {
        const fields = { phones: withoutPlus(phone), mes: 'code', call: '1' };
        const response = notRefused(await post('/sys/send.php', fields, signal), reasonsOfCalls);
        return theirs(parseResponse(called, response).code);
      },
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
      async examine(signal) {
        const response = notRefused(await post('/sys/balance.php', { cur: '1' }, signal), reasonsOfAccounts);
        const { balance, currency } = parseResponse(account, response);
        return { balance: [balance, currency].filter(Boolean).join(' ') };
      },
    };
  },
});
