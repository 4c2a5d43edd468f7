import * as z from 'zod/mini';
import { phoneDigits } from '../../contract/fields/field-sizes.ts';
import {
  apiUrl,
  type Call,
  type CallPlacement,
  CallRefused,
  type Delivery,
  defineCallProvider,
  headerKey,
  type RefusalReason,
} from '../provider.ts';
import {
  json,
  type ProviderResponse,
  parseResponse,
  requestProvider,
  withoutPlus,
  writtenId,
  writtenInteger,
} from '../provider-request.ts';

/** A refusal; its `code` is a number, whereas a call's `code` is the digits. */
const refusal = z.object({ status: z.literal(false), error: z.string(), code: z.optional(writtenInteger) });
const called = z.union([
  z.object({ status: z.literal(true), ucaller_id: z.optional(writtenId) }),
  z.object({ status: z.literal(false), ucaller_id: writtenId }),
]);
/** -1 while uCaller checks the call, 0 if it failed, 1 if it succeeded (https://developer.ucaller.ru/methods/getinfo). */
const info = z.object({ status: z.literal(true), call_status: writtenInteger });
const deliveries: Readonly<Record<number, Delivery>> = { 0: 'lost', 1: 'delivered' };
const account = z.object({ status: z.literal(true), rub_balance: z.optional(z.union([z.number(), z.string()])) });

/** Follows the table at https://developer.ucaller.ru. */
const reasons: Readonly<Record<number, RefusalReason>> = {
  0: 'credentials',
  3: 'number',
  4: 'credentials',
  9: 'rejected',
  18: 'rate',
  19: 'rate',
  20: 'rejected',
  401: 'credentials',
  429: 'rate',
  1001: 'credentials',
  1002: 'balance',
  1003: 'credentials',
  1004: 'credentials',
  1005: 'credentials',
};

const words: Readonly<Record<number, string>> = {
  0: 'uCaller blocks this server’s address',
  4: 'the service is disabled in uCaller’s account',
  9: 'the service’s settings exclude the country',
  20: 'uCaller places no voice calls to this country',
  401: 'UCALLER_SERVICE_ID or UCALLER_SECRET is wrong',
  1001: 'the account is blocked',
  1002: 'the account is empty',
  1003: 'this server’s address is not on the service’s list of allowed addresses',
  1004: 'the service is archived',
  1005: 'the account’s own phone is not confirmed',
};

/**
 * uCaller, `initCall` of API v1.0: we choose the code (https://developer.ucaller.ru/methods/initcall; errors:
 * https://developer.ucaller.ru). `unique` prevents a repeated request from placing and charging a second call.
 */
export const ucaller = defineCallProvider({
  name: 'ucaller',
  needed: { UCALLER_SERVICE_ID: headerKey, UCALLER_SECRET: headerKey },
  other: { UCALLER_URL: z._default(apiUrl, 'https://api.ucaller.ru/v1.0') },
  open({ UCALLER_SERVICE_ID, UCALLER_SECRET, UCALLER_URL }) {
    const headers = { authorization: `Bearer ${UCALLER_SECRET}.${UCALLER_SERVICE_ID}` };
    const post = async (path: string, fields: object, signal: AbortSignal): Promise<ProviderResponse> => {
      const response = await requestProvider({
        method: 'POST',
        base: UCALLER_URL,
        path,
        headers,
        body: json(fields),
        signal,
      });
      const refused = refusal.safeParse(response.body);
      if (!refused.success) return response;
      const { code = -1 } = refused.data;
      const about = words[code] ? `: ${words[code]}` : '';
      throw new CallRefused(reasons[code] ?? 'unavailable', `uCaller’s error ${code}${about}`);
    };
    const call = async ({ id, phone, code }: Call, voice: boolean, signal: AbortSignal): Promise<CallPlacement> => {
      const fields = {
        // uCaller refuses a string.
        phone: Number(withoutPlus(phone)),
        code,
        unique: asVersion4(id),
        ...(voice && { voice }),
      };
      // A `status` of false with an id and without an error: uCaller has booked the call with our digits, so it may
      // ring.
      const { ucaller_id: reference } = parseResponse(called, await post('/initCall', fields, signal));
      return { kind: 'ours', ...(reference !== undefined && { reference }) };
    };
    return {
      place: (ordered, signal) => call(ordered, false, signal),
      speak: (ordered, signal) => call(ordered, true, signal),
      async delivery({ reference }, signal) {
        const { call_status } = parseResponse(info, await post('/getInfo', { uid: Number(reference) }, signal));
        return deliveries[call_status] ?? 'under way';
      },
      // `code` always has four digits, and no parameter selects a language.
      spokenDigits: phoneDigits,
      spokenLanguages: ['ru'],
      async readStatus(signal) {
        const { rub_balance: balance } = parseResponse(account, await post('/getBalance', {}, signal));
        return { balance: balance === undefined ? undefined : `${balance} RUB` };
      },
    };
  },
});

/**
 * uCaller requires a UUID of version 4; ours may be version 7 (ordered by time) and stays unique without its version.
 */
const asVersion4 = (uuid: string): string => `${uuid.slice(0, 14)}4${uuid.slice(15)}`;
