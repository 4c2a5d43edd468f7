import * as z from 'zod/mini';
import type { LanguageCode } from '../../contract/languages.ts';
import { listOf, textLike } from '../../contract/settings.ts';
import { apiUrl, defineCallProvider, headerKey, type RefusalReason } from '../provider.ts';
import {
  json,
  type ProviderResponse,
  parseResponse,
  reasonOfStatus,
  refusedWith,
  requestProvider,
  withoutPlus,
  writtenInteger,
} from '../provider-request.ts';

const refusal = z.object({ error: z.object({ code: writtenInteger }) });
const sent = z.object({ messages: z.array(z.object({ id: z.string().check(z.minLength(1)) })).check(z.minLength(1)) });
const sender = z.object({ id: z.string(), quality_rating: z.optional(z.string()) });

/**
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes; for other codes, such
 * as those about templates (132…), the HTTP status decides.
 */
const reasons: Readonly<Record<number, RefusalReason>> = {
  0: 'credentials',
  3: 'credentials',
  4: 'rate',
  10: 'credentials',
  190: 'credentials',
  368: 'credentials', // the account is restricted or disabled
  80007: 'rate',
  130429: 'rate',
  130472: 'rejected', // the number takes part in an experiment
  130497: 'rejected', // no messages to this country
  131005: 'credentials',
  131021: 'rejected', // the sender’s own number
  131026: 'rejected', // not on WhatsApp, or unable to get the message
  131030: 'rejected', // a test number sends only to its list
  131031: 'credentials',
  131042: 'balance',
  131048: 'rate',
  131056: 'rate',
  133010: 'credentials', // the sender is not registered
  133016: 'rate',
};

function notRefused(response: ProviderResponse): ProviderResponse {
  const { status } = response;
  if (status < 300) return response;
  const read = refusal.safeParse(response.body);
  const code = read.success ? read.data.error.code : status;
  // From 200 to 299: a permission is missing.
  const reason = code >= 200 && code < 300 ? 'credentials' : (reasons[code] ?? reasonOf(status));
  throw refusedWith(status, reason, `WhatsApp’s error ${code} (HTTP ${status})`);
}

const reasonOf = (status: number): RefusalReason => (status === 400 ? 'rejected' : reasonOfStatus(status));

/** WhatsApp’s language codes, such as `de` or `pt_BR`. */
const templateLanguages = listOf(textLike(/^[a-z]{2,3}(_[A-Z]{2,3})?$/, 'must be codes such as en_US,de,pt_BR')).check(
  z.minLength(1),
);

/** The user’s language if the template has it; otherwise, the first one. */
const languageOf = (languages: readonly string[], locale: LanguageCode): string =>
  languages.find((code) => code.split('_')[0] === locale) ?? (languages[0] as string);

/**
 * WhatsApp Cloud API: an approved authentication template with a copy-code or one-tap button, which both get the code
 * (https://developers.facebook.com/docs/whatsapp/business-management-api/authentication-templates). Whether a message
 * was delivered is reported only to a webhook of the Meta app; no request reads or revokes it.
 */
export const whatsapp = defineCallProvider({
  name: 'whatsapp',
  needed: {
    WHATSAPP_TOKEN: headerKey,
    WHATSAPP_PHONE_NUMBER_ID: textLike(/^\d{5,20}$/, 'must be the id of the sending number'),
    WHATSAPP_TEMPLATE: textLike(/^[a-z\d_]{1,512}$/, 'must be the name of a template'),
  },
  other: {
    WHATSAPP_LANGUAGES: z._default(templateLanguages, ['en_US']),
    WHATSAPP_URL: z._default(apiUrl, 'https://graph.facebook.com/v23.0'),
  },
  open({ WHATSAPP_TOKEN, WHATSAPP_PHONE_NUMBER_ID, WHATSAPP_TEMPLATE: name, WHATSAPP_LANGUAGES, WHATSAPP_URL: base }) {
    const headers = { authorization: `Bearer ${WHATSAPP_TOKEN}` };
    const path = `/${WHATSAPP_PHONE_NUMBER_ID}`;
    return {
      async whatsapp({ phone, code, locale }, signal) {
        const parameters = [{ type: 'text', text: code }];
        const components = [
          { type: 'body', parameters },
          { type: 'button', sub_type: 'url', index: '0', parameters },
        ];
        const message = {
          messaging_product: 'whatsapp',
          recipient_type: 'individual',
          to: withoutPlus(phone),
          type: 'template',
          template: { name, language: { code: languageOf(WHATSAPP_LANGUAGES, locale) }, components },
        };
        const request = {
          method: 'POST',
          base,
          path: `${path}/messages`,
          headers,
          body: json(message),
          signal,
        } as const;
        parseResponse(sent, notRefused(await requestProvider(request)));
        return { kind: 'ours' };
      },
      async readStatus(signal) {
        const request = { method: 'GET', base, path: `${path}?fields=id,quality_rating`, headers, signal } as const;
        const { quality_rating: quality } = parseResponse(sender, notRefused(await requestProvider(request)));
        return {
          warning:
            quality === 'RED'
              ? 'WhatsApp rates the quality of the number as low and may limit it'
              : 'it responds; only a message shows whether the template is approved in each of WHATSAPP_LANGUAGES',
        };
      },
    };
  },
});
