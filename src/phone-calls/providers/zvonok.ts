import * as z from 'zod/mini';
import { languages } from '../../contract/languages.ts';
import { apiUrl, defineCallProvider, type RefusalReason, text } from '../provider.ts';
import {
  form,
  type ProviderResponse,
  parseResponse,
  reasonOfStatus,
  redactResponse,
  refusedInWords,
  requestProvider,
  theirs,
  writtenCode,
} from '../provider-request.ts';

const codes = languages.map(({ code }) => code);

const refusal = z.object({ status: z.literal('error'), data: z.unknown() });
const called = z.object({ status: z.literal('ok'), data: z.object({ pincode: writtenCode }) });
const spoken = z.object({ status: z.literal('ok') });
const amount = z.union([z.string(), z.number()]);
const account = z.union([z.object({ data: z.object({ balance: amount }) }), z.object({ balance: amount })]);

/** Zvonok has no error codes besides the HTTP status; only the text distinguishes an empty account from a wrong key. */
function reasonOf(status: number, said: unknown): RefusalReason {
  if (status === 429) return 'rate';
  const words = typeof said === 'string' ? said : '';
  if (/balance|баланс|средств/i.test(words)) return 'balance';
  if (/key|campaign|ключ|кампани/i.test(words)) return 'credentials';
  // Means an unsupported country or an invalid number: another provider may still reach it.
  return status === 400 ? 'rejected' : reasonOfStatus(status);
}

function notRefused(response: ProviderResponse): ProviderResponse {
  const refused = refusal.safeParse(response.body);
  if (!refused.success) return response;
  const { data: said } = refused.data;
  const { status } = response;
  throw refusedInWords(status, reasonOf(status, said), `refused by Zvonok (HTTP ${status})${redactResponse(said)}`);
}

/**
 * Zvonok. `phones/flashcall` reports the digits that will ring (https://api-docs.zvonok.com). `phones/tellcode` speaks
 * our code through a campaign of that type, in the campaign's language.
 */
export const zvonok = defineCallProvider({
  name: 'zvonok',
  needed: { ZVONOK_KEY: text, ZVONOK_CAMPAIGN_ID: text },
  other: {
    ZVONOK_VOICE_CAMPAIGN_ID: z.optional(text),
    /** Language of the campaign; a Russian service speaks Russian by default. */
    ZVONOK_VOICE_LANGUAGE: z._default(z.enum(codes, { error: `must be one of ${codes.join(', ')}` }), 'ru'),
    ZVONOK_URL: z._default(apiUrl, 'https://zvonok.com/manager/cabapi_external/api/v1'),
  },
  open({ ZVONOK_KEY: key, ZVONOK_CAMPAIGN_ID, ZVONOK_VOICE_CAMPAIGN_ID: voiceCampaign, ...other }) {
    const { ZVONOK_VOICE_LANGUAGE, ZVONOK_URL: base } = other;
    const post = async (path: string, fields: Record<string, string>, signal: AbortSignal) =>
      notRefused(
        await requestProvider({ method: 'POST', base, path, body: form({ public_key: key, ...fields }), signal }),
      );
    return {
      async place({ phone }, signal) {
        const response = await post('/phones/flashcall/', { campaign_id: ZVONOK_CAMPAIGN_ID, phone }, signal);
        return theirs(parseResponse(called, response).data.pincode);
      },
      ...(voiceCampaign && {
        spokenLanguages: [ZVONOK_VOICE_LANGUAGE],
        async speak({ phone, code }, signal) {
          const fields = { campaign_id: voiceCampaign, phone, pincode: code };
          parseResponse(spoken, await post('/phones/tellcode/', fields, signal));
          return { kind: 'ours' };
        },
      }),
      async readStatus(signal) {
        const path = `/users/balance/?${new URLSearchParams({ public_key: key })}`;
        const said = parseResponse(account, notRefused(await requestProvider({ method: 'GET', base, path, signal })));
        return { balance: String('data' in said ? said.data.balance : said.balance) };
      },
    };
  },
});
