import { BlockList, isIP } from 'node:net';
import * as z from 'zod/mini';
import {
  apiUrl,
  CallRefused,
  defineCallProvider,
  type RefusalReason,
  type ReverseCallStatus,
  text,
} from '../provider.ts';
import {
  form,
  parseResponse,
  requestProvider,
  theirs,
  withoutPlus,
  writtenCode,
  writtenId,
  writtenInteger,
  writtenNumber,
} from '../provider-request.ts';

const refusal = z.object({ status: z.literal('ERROR'), status_code: z.optional(writtenInteger) });
const called = z.union([refusal, z.object({ status: z.literal('OK'), code: writtenCode })]);
const sent = z.union([
  refusal,
  z.object({
    status: z.literal('OK'),
    // One result per number. A response without any number did not send anything that we know of.
    sms: z
      .record(z.string(), z.union([refusal, z.object({ status: z.literal('OK') })]))
      .check(z.refine((sms) => Object.keys(sms).length > 0)),
  }),
]);
const awaited = z.union([
  refusal,
  z.object({ status: z.literal('OK'), check_id: writtenId, call_phone: writtenNumber }),
]);
const standing = z.union([refusal, z.object({ status: z.literal('OK'), check_status: writtenInteger })]);
const arrivals: Readonly<Record<number, ReverseCallStatus>> = { 400: 'waiting', 401: 'confirmed', 402: 'expired' };
const account = z.union([
  refusal,
  z.object({ status: z.literal('OK'), balance: z.optional(z.union([z.number(), z.string()])) }),
]);

/** Follows the table at https://sms.ru/api/code_call. 202 and 207 also mean that sms.ru has no route to the number. */
function reasonOf(code: number): RefusalReason {
  if ([200, 300, 301, 302].includes(code)) return 'credentials';
  if (code === 201) return 'balance';
  // 204 and 221: the operator takes no text messages from this sender. 550: the country is blocked.
  if ([202, 204, 207, 209, 214, 215, 221, 550].includes(code)) return 'rejected';
  if (code === 206 || (code >= 230 && code <= 233) || (code >= 501 && code <= 508)) return 'rate';
  return 'unavailable';
}

function refuse({ status_code: code = -1 }: z.output<typeof refusal>): never {
  // Errors in our request, from an empty text to a forbidden word. 220 and 500 are errors of sms.ru itself.
  const isOfRequest = code >= 200 && code <= 219;
  throw new CallRefused(reasonOf(code), `sms.ru’s error ${code}`, isOfRequest ? { mayRing: 0 } : {});
}

/**
 * sms.ru. `code/call` reports the digits that will ring (https://sms.ru/api/code_call); `sms/send` sends a text message
 * (https://sms.ru/api/send); `callcheck` names a number that the user calls, and hangs up
 * (https://sms.ru/api/callcheck).
 */
export const smsRu = defineCallProvider({
  name: 'smsru',
  needed: { SMSRU_API_ID: text },
  other: { SMSRU_URL: z._default(apiUrl, 'https://sms.ru') },
  open({ SMSRU_API_ID, SMSRU_URL }) {
    const post = (path: string, fields: Record<string, string>, signal: AbortSignal) =>
      // The key goes into the body, because URLs end up in logs.
      requestProvider({
        method: 'POST',
        base: SMSRU_URL,
        path,
        body: form({ api_id: SMSRU_API_ID, ...fields }),
        signal,
      });
    return {
      async place({ phone, ip }, signal) {
        const fields = { phone: withoutPlus(phone), ip: isPublic(ip) ? ip : '-1' };
        const response = parseResponse(called, await post('/code/call', fields, signal));
        return response.status === 'OK' ? theirs(response.code) : refuse(response);
      },
      sendsOwnWords: true,
      async text({ phone, ip, message = '', sender }, signal) {
        const from = sender && { from: sender };
        const fields = { to: withoutPlus(phone), msg: message, json: '1', ...from, ...(isPublic(ip) && { ip }) };
        const response = parseResponse(sent, await post('/sms/send', fields, signal));
        if (response.status === 'ERROR') return refuse(response);
        for (const one of Object.values(response.sms)) if (one.status === 'ERROR') return refuse(one);
        return { kind: 'ours' };
      },
      async await({ phone }, signal) {
        const fields = { phone: withoutPlus(phone), json: '1' };
        const response = parseResponse(awaited, await post('/callcheck/add', fields, signal));
        if (response.status === 'ERROR') return refuse(response);
        return { kind: 'awaited', number: response.call_phone, reference: response.check_id };
      },
      // sms.ru names Russian freephone numbers, which few foreign phones can call.
      reaches: (way, { country }) => way !== 'reverse' || country === 'RU',
      async arrived({ reference }, signal) {
        const response = parseResponse(
          standing,
          await post('/callcheck/status', { check_id: reference, json: '1' }, signal),
        );
        if (response.status === 'ERROR') return refuse(response);
        return arrivals[response.check_status] ?? 'waiting';
      },
      async readStatus(signal) {
        const response = parseResponse(account, await post('/my/balance', { json: '1' }, signal));
        if (response.status === 'ERROR') return refuse(response);
        return { balance: response.balance === undefined ? undefined : `${response.balance} RUB` };
      },
    };
  },
});

/** Private addresses (RFC 6890): sms.ru refuses a call with one of them (its error 507). */
const privateNetworks = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const) {
  privateNetworks.addSubnet(network, prefix, 'ipv4');
}

const isPublic = (ip: string): boolean => isIP(ip) === 4 && !privateNetworks.check(ip, 'ipv4');
