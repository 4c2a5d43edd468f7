import { useEffect, useEffectEvent, useState } from 'react';
import { Text } from '../../../../browser/language/text.tsx';
import { useTimes } from '../../../../browser/language/times.ts';
import { Link } from '../../../../browser/navigation/navigation.tsx';
import { usePage } from '../../../../browser/navigation/page.tsx';
import { after } from '../../../../browser/platform/timers.ts';
import { useRequest } from '../../../../browser/requests/request-status.ts';
import { sendRequest } from '../../../../browser/requests/send-request.ts';
import { type ConcernCode, concerns } from '../../../../contract/concerns.ts';
import type { ResponseBody } from '../../../../contract/endpoint.ts';
import { localeOf } from '../../../../contract/languages.ts';
import { isRoleEnough, type OperatorRole } from '../../../../contract/operators.ts';
import { seconds } from '../../../../contract/units.ts';
import type { MessageId } from '../../../../messages/ids.ts';
import { Sheet } from '../../../../ui/layouts/card.tsx';
import { TextButton } from '../../../../ui/text-button.tsx';
import { VisuallyHidden } from '../../../../ui/visually-hidden.tsx';
import { readToday } from '../../service.contract.ts';
import { ConsoleFailed, ConsolePage, ConsoleUnread } from '../layout/console-page.part.tsx';
import { listOf } from '../service/lists.part.ts';
import { type Params, Sentence, Signed, Signs } from '../words/sentence.part.tsx';
import { Statistics } from './statistics.part.tsx';

/** What does not work now, each with where to continue, or that everything works; and what the service counted. */
export default function Today() {
  return (
    <ConsolePage title={<Text id="console_today.page" />}>
      {({ role }) => (
        <>
          <Concerns role={role} />
          <Statistics role={role} />
        </>
      )}
    </ConsolePage>
  );
}

type Examined = ResponseBody<typeof readToday>;

/** Milliseconds between two looks at an examination. */
const every = seconds(2);

function Concerns({ role }: { role: OperatorRole }) {
  const { when } = useTimes();
  const [examined, setExamined] = useState<Examined>();
  const { start, restart, state, error } = useRequest(async (signal, again?: 'true') =>
    setExamined(await sendRequest(readToday, { query: again ? { again } : {}, signal })),
  );
  const look = useEffectEvent(() => void start());
  useEffect(() => look(), []);
  const isAtWork = examined?.examining === true && state === 'success';
  useEffect(() => (isAtWork ? after(every, () => look()) : undefined), [isAtWork]);
  if (!examined) return <ConsoleUnread failure={error} retry={restart} />;
  const { items, examined_at, examining, examined_node: node } = examined;
  const isFine = examined_at !== null && items.length === 0;
  const known = isFine ? 'console_today.fine' : 'console_today.attention';
  const heading = isFine || items.length > 0 ? known : 'console_today.checking';
  return (
    <>
      <ConsoleFailed failure={error} />
      <Sheet title={heading} aside={<TextButton label="console_today.check" onClick={() => void start('true')} />}>
        <Signs>
          {items.map(({ code, state, params, text, see }) => {
            const list = see === null ? undefined : listOf(see);
            return (
              <Signed key={code + text} sign={state}>
                <ConcernSentence code={code} params={params} text={text} />
                {list && isRoleEnough(role, list.role) && (
                  <Link to={`/console/service/?list=${list.name}`} text={list.label} />
                )}
              </Signed>
            );
          })}
          <Signed sign={isFine ? 'fine' : 'note'}>
            <span role="status">
              {examining || state === 'pending' || !examined_at ? (
                <Text id="console_today.checking" />
              ) : (
                <>
                  <VisuallyHidden text={heading} />
                  <Text id="console_today.examined" values={{ when: when(examined_at) }} dir="auto" />
                  {node && (
                    <>
                      {' · '}
                      <Text id="console_today.examined_node" values={{ node }} dir="auto" />
                    </>
                  )}
                </>
              )}
            </span>
          </Signed>
        </Signs>
      </Sheet>
    </>
  );
}

/** Undefined for a code of a newer server. */
const idOf = (code: string): MessageId | undefined =>
  Object.hasOwn(concerns, code) ? `concern.${code as ConcernCode}` : undefined;

interface ConcernSentenceProps {
  readonly code: string;
  readonly params: Params;
  readonly text: string;
}

/** What does not work as it should, in one sentence. */
function ConcernSentence({ code, params, text }: ConcernSentenceProps) {
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
