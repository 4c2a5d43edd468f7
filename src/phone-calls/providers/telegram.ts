import * as z from 'zod/mini';
import { callLifetime } from '../../contract/call-ways.ts';
import { seconds } from '../../contract/units.ts';
import {
  apiUrl,
  asRefused,
  CallRefused,
  type Delivery,
  defineCallProvider,
  headerKey,
  type RefusalReason,
} from '../provider.ts';
import { json, parseResponse, requestProvider, writtenId } from '../provider-request.ts';

const refusal = z.object({ ok: z.literal(false), error: z.string() });
const answered = <Result extends z.ZodMiniType>(result: Result) =>
  z.union([z.object({ ok: z.literal(true), result }), refusal]);
const request = z.object({
  request_id: writtenId,
  delivery_status: z.nullish(z.object({ status: z.string() })),
  is_refunded: z.optional(z.boolean()),
});
const revoked = z.boolean();

/** Deliveries by `DeliveryStatus`; any other status means that the message is under way. */
const deliveries: Readonly<Record<string, Delivery>> = {
  delivered: 'delivered',
  read: 'delivered',
  expired: 'lost',
  revoked: 'lost',
};

/** The reference documents only the first; we observed the others. A number without Telegram may still be valid. */
const reasons: Readonly<Record<string, RefusalReason>> = {
  ACCESS_TOKEN_INVALID: 'credentials',
  ACCESS_TOKEN_REQUIRED: 'credentials',
  BALANCE_NOT_ENOUGH: 'balance',
  PHONE_NUMBER_INVALID: 'rejected',
  PHONE_NUMBER_NOT_FOUND: 'rejected',
  PHONE_NUMBER_NOT_AVAILABLE: 'rejected',
};

function refusalFor(error: string): CallRefused {
  const known = Object.hasOwn(reasons, error) ? reasons[error] : undefined;
  const reason = error.startsWith('FLOOD_WAIT') ? 'rate' : (known ?? 'unavailable');
  // An unknown error text may repeat our request.
  return new CallRefused(reason, `Telegram’s error ${known ? error : `is unknown (${reason})`}`, { mayRing: 0 });
}

/** Lifetime of the digits, in seconds: Telegram does not charge for messages that it delivers later. */
const lifetime = callLifetime / 1000;
const revokesWithin = seconds(5);

/**
 * Telegram Gateway: checks whether the number has Telegram, then sends our digits there. The check costs the price of
 * both, even if no message follows (https://core.telegram.org/gateway/api).
 */
export const telegram = defineCallProvider({
  name: 'telegram',
  needed: { TELEGRAM_GATEWAY_TOKEN: headerKey },
  other: { TELEGRAM_GATEWAY_URL: z._default(apiUrl, 'https://gatewayapi.telegram.org') },
  open({ TELEGRAM_GATEWAY_TOKEN: token, TELEGRAM_GATEWAY_URL: base }) {
    const headers = { authorization: `Bearer ${token}` };
    async function post<Result extends z.ZodMiniType>(
      path: string,
      fields: object,
      { as, signal }: { as: Result; signal: AbortSignal },
    ): Promise<z.output<Result>> {
      const said = await requestProvider({ method: 'POST', base, path, headers, body: json(fields), signal });
      const response = parseResponse(answered(as), said) as
        | { ok: true; result: z.output<Result> }
        | z.output<typeof refusal>;
      if (!response.ok) throw refusalFor(response.error);
      return response.result;
    }
    const revoke = async ({ reference: request_id }: { reference: string }, signal: AbortSignal) =>
      void (await post('/revokeVerificationMessage', { request_id }, { as: revoked, signal }));
    return {
      async telegram({ phone: phone_number, code }, signal) {
        const { request_id } = await post('/checkSendAbility', { phone_number }, { as: request, signal });
        const message = { phone_number, request_id, code, ttl: lifetime };
        await post('/sendVerificationMessage', message, { as: request, signal }).catch((error: unknown) => {
          const refused = asRefused(error);
          // The message may still be under way, with digits that are not valid.
          if (refused.mayRing > 0)
            revoke({ reference: request_id }, AbortSignal.timeout(revokesWithin)).catch(() => undefined);
          throw new CallRefused(refused.reason, refused.message, { mayRing: refused.mayRing, charged: true });
        });
        return { kind: 'ours', reference: request_id };
      },
      async delivery({ reference: request_id }, signal) {
        const status = await post('/checkVerificationStatus', { request_id }, { as: request, signal });
        return status.is_refunded ? 'refunded' : (deliveries[status.delivery_status?.status ?? ''] ?? 'under way');
      },
      refunds: true,
      async succeeded({ reference: request_id, digits: code }, signal) {
        await post('/checkVerificationStatus', { request_id, code }, { as: request, signal });
      },
      revoke,
      async readStatus(signal) {
        // A query about a message that does not exist is free, and Telegram checks the token first.
        const refused = await post('/checkVerificationStatus', { request_id: '0' }, { as: request, signal }).catch(
          (error) => error,
        );
        const isWell = !(refused instanceof CallRefused) || refused.reason === 'unavailable';
        if (!isWell) throw refused;
        return { warning: 'it responds; only sending a message shows whether the account has a balance' };
      },
    };
  },
});
