import { usePage } from '../../../../browser/navigation/page.tsx';
import type { ConcernCode } from '../../../../contract/concerns.ts';
import { localeOf } from '../../../../contract/languages.ts';
import type { MessageId } from '../../../../messages/ids.ts';
import { type Params, Sentence } from './sentence.part.tsx';

const ids: Readonly<Record<string, MessageId>> = {
  examination: 'concern.examination',
  disk: 'concern.disk',
  database: 'concern.database',
  keys: 'concern.keys',
  clock: 'concern.clock',
  partitions: 'concern.partitions',
  visitors: 'concern.visitors',
  calls: 'concern.calls',
  applications: 'concern.applications',
  outbox: 'concern.outbox',
  bounces: 'concern.bounces',
  webhooks: 'concern.webhooks',
  cookies: 'concern.cookies',
  certificate: 'concern.certificate',
  mail: 'concern.mail',
  mail_record: 'concern.mail_record',
  redirect_rules: 'concern.redirect_rules',
  backups: 'concern.backups',
  places: 'concern.places',
  call_countries: 'concern.call_countries',
  calls_to: 'concern.calls_to',
  call_provider: 'concern.call_provider',
  node_missing: 'concern.node_missing',
  versions_differ: 'concern.versions_differ',
  guesses: 'concern.guesses',
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
  const { country } = params;
  const instead =
    country === undefined
      ? {}
      : { country: new Intl.DisplayNames(locale, { type: 'region' }).of(String(country)) ?? String(country) };
  return <Sentence id={ids[code]} params={params} instead={instead} text={text} />;
}
