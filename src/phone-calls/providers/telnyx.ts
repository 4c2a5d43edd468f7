import * as z from 'zod/mini';
import { apiUrl, CallRefused, defineCallProvider, headerKey, type RefusalReason, text } from '../provider.ts';
import {
  json,
  type ProviderResponse,
  parseResponse,
  reasonOfStatus,
  refusedWith,
  requestProvider,
  writtenId,
} from '../provider-request.ts';

/** Five digits, documented as text. */
const writtenErrorCode = z.pipe(writtenId, z.string().check(z.regex(/^\d{5}$/)));
const refusal = z.object({ errors: z.array(z.object({ code: writtenErrorCode })) });
const called = z.object({ data: z.object({ id: z.string().check(z.minLength(1)), status: z.optional(z.string()) }) });
/** Statuses of a failed verification in a 200 response. */
const failed = ['error', 'invalid', 'expired'];
const checked = z.object({ data: z.object({ response_code: z.enum(['accepted', 'rejected']) }) });
const account = z.object({ data: z.object({ available_credit: z.string(), currency: z.string() }) });
const profile = z.object({ data: z.object({ flashcall: z.nullish(z.unknown()) }) });

/** https://developers.telnyx.com/development/api-fundamentals/api-errors; for other codes, the HTTP status decides. */
const reasons: Readonly<Record<string, RefusalReason>> = {
  '10002': 'number',
  '10009': 'credentials',
  '10010': 'credentials',
  '10011': 'rate',
  '10016': 'number',
  '20100': 'balance',
};

function refuse({ status, body }: ProviderResponse): never {
  const read = refusal.safeParse(body);
  const code = (read.success && read.data.errors[0]?.code) || 'none';
  // Telnyx reports a country that the profile does not allow as an error in the request.
  const byStatus = status === 400 || status === 422 ? 'rejected' : reasonOfStatus(status);
  throw refusedWith(status, reasons[code] ?? byStatus, `Telnyx’s error ${code} (HTTP ${status})`);
}

function begun(response: ProviderResponse): z.output<typeof called>['data'] {
  const { data } = parseResponse(called, response);
  const { status = 'pending' } = data;
  if (failed.includes(status)) throw new CallRefused('unavailable', `the verification is “${status}”`, { mayRing: 0 });
  return data;
}

/**
 * Telnyx Verify: a flash call whose digits it checks
 * (https://developers.telnyx.com/api-reference/verify/trigger-flash-call-verification,
 * …/verify-verification-code-by-id), and a voice call or text message with our code (…/trigger-call-verification,
 * …/trigger-sms-verification), worded by the profile.
 */
export const telnyx = defineCallProvider({
  name: 'telnyx',
  needed: { TELNYX_API_KEY: headerKey, TELNYX_VERIFY_PROFILE_ID: text },
  other: { TELNYX_URL: z._default(apiUrl, 'https://api.telnyx.com/v2') },
  open({ TELNYX_API_KEY, TELNYX_VERIFY_PROFILE_ID: profileId, TELNYX_URL: base }) {
    const headers = { authorization: `Bearer ${TELNYX_API_KEY}` };
    const whole = (response: ProviderResponse): ProviderResponse =>
      response.status < 300 ? response : refuse(response);
    const post = (path: string, fields: object, signal: AbortSignal) =>
      requestProvider({ method: 'POST', base, path, headers, body: json(fields), signal });
    const get = async (path: string, signal: AbortSignal) =>
      whole(await requestProvider({ method: 'GET', base, path, headers, signal }));
    return {
      async place({ phone }, signal) {
        const fields = { phone_number: phone, verify_profile_id: profileId };
        const response = whole(await post('/verifications/flashcall', fields, signal));
        return { kind: 'checked', reference: begun(response).id };
      },
      async speak({ phone, code }, signal) {
        const fields = { phone_number: phone, verify_profile_id: profileId, custom_code: code };
        begun(whole(await post('/verifications/call', fields, signal)));
        return { kind: 'ours' };
      },
      async text({ phone, code }, signal) {
        const fields = { phone_number: phone, verify_profile_id: profileId, custom_code: code };
        begun(whole(await post('/verifications/sms', fields, signal)));
        return { kind: 'ours' };
      },
      async check({ reference, digits }, signal) {
        const path = `/verifications/${encodeURIComponent(reference)}/actions/verify`;
        const response = await post(path, { code: digits }, signal);
        if (response.status === 404) return 'expired';
        const { data } = parseResponse(checked, whole(response));
        return data.response_code === 'accepted' ? 'confirmed' : 'wrong';
      },
      async readStatus(signal) {
        const { data: verify } = parseResponse(
          profile,
          await get(`/verify_profiles/${encodeURIComponent(profileId)}`, signal),
        );
        const { data } = parseResponse(account, await get('/balance', signal));
        return {
          balance: `${data.available_credit} ${data.currency}`,
          warning: verify.flashcall ? undefined : 'flash calls are disabled in the verify profile',
        };
      },
    };
  },
});
