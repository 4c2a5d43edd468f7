import { useTimes } from '../../../../browser/language/times.ts';
import { usePage } from '../../../../browser/navigation/page.tsx';
import { type ConcernCode, concerns } from '../../../../contract/concerns.ts';
import { localeOf } from '../../../../contract/languages.ts';
import type { MessageId } from '../../../../messages/ids.ts';
import { type Params, Sentence } from './sentence.part.tsx';

/** Undefined for a code of a newer server. */
const idOf = (code: string): MessageId | undefined =>
  Object.hasOwn(concerns, code) ? `concern.${code as ConcernCode}` : undefined;

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
  return <Sentence id={idOf(code)} params={params} instead={instead} text={text} />;
}
