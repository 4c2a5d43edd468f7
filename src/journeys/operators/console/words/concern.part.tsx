import { useTimes } from '../../../../browser/language/times.ts';
import { usePage } from '../../../../browser/navigation/page.tsx';
import type { ConcernCode } from '../../../../contract/concerns.ts';
import { localeOf } from '../../../../contract/languages.ts';
import type { MessageId } from '../../../../messages/ids.ts';
import { type Params, Sentence } from './sentence.part.tsx';

const ids: Readonly<Record<string, MessageId>> = {
  examination: 'concern.examination',
  disk: 'concern.disk',
  database: 'concern.database',
  database_unencrypted: 'concern.database_unencrypted',
  keys: 'concern.keys',
  keys_unsealed: 'concern.keys_unsealed',
  keys_reseal: 'concern.keys_reseal',
  former_key_unused: 'concern.former_key_unused',
  clock: 'concern.clock',
  partitions: 'concern.partitions',
  visitors: 'concern.visitors',
  calls_dropped: 'concern.calls_dropped',
  outbox_late: 'concern.outbox_late',
  outbox_given_up: 'concern.outbox_given_up',
  complaints: 'concern.complaints',
  webhooks_disabled: 'concern.webhooks_disabled',
  webhooks_given_up: 'concern.webhooks_given_up',
  cookies: 'concern.cookies',
  certificate: 'concern.certificate',
  mail_server: 'concern.mail_server',
  mail_unset: 'concern.mail_unset',
  mail_replies: 'concern.mail_replies',
  dns_missing: 'concern.dns_missing',
  dns_wrong: 'concern.dns_wrong',
  dns_unanswered: 'concern.dns_unanswered',
  dns_bounces: 'concern.dns_bounces',
  call_countries: 'concern.call_countries',
  sender_unregistered: 'concern.sender_unregistered',
  numbers_hidden: 'concern.numbers_hidden',
  ways_blocked: 'concern.ways_blocked',
  provider: 'concern.provider',
  provider_funds: 'concern.provider_funds',
  redirect_rules: 'concern.redirect_rules',
  backups_unset: 'concern.backups_unset',
  backups_unusable: 'concern.backups_unusable',
  backups_late: 'concern.backups_late',
  places: 'concern.places',
  node_missing: 'concern.node_missing',
  versions_differ: 'concern.versions_differ',
  guesses: 'concern.guesses',
  flood: 'concern.flood',
  flood_spread: 'concern.flood_spread',
  search_incomplete: 'concern.search_incomplete',
} satisfies Record<ConcernCode, MessageId>;

interface ConcernSentenceProps {
  readonly code: string;
  readonly params: Params;
  readonly text: string;
}

/** What does not work as it should, in one sentence. */
export function ConcernSentence({ code, params, text }: ConcernSentenceProps) {
  const locale = localeOf(usePage().language);
  const regions = new Intl.DisplayNames(locale, { type: 'region', fallback: 'code' });
  const nameOf = (country: string) => regions.of(country) ?? country;
  const { share } = useTimes();
  const { country, countries } = params;
  const instead = {
    ...(params.share !== undefined && { share: share(Number(params.share)) }),
    ...(code.startsWith('flood') && { count: new Intl.NumberFormat(locale).format(Number(params.count)) }),
    ...(country !== undefined && { country: nameOf(String(country)) }),
    ...(Array.isArray(countries) && { countries: new Intl.ListFormat(locale).format(countries.map(nameOf)) }),
  };
  return <Sentence id={ids[code]} params={params} instead={instead} text={text} />;
}
