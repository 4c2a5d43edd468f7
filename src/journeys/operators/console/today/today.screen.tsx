import { Text } from '../../../../browser/language/text.tsx';
import { useTimes } from '../../../../browser/language/times.ts';
import { Link } from '../../../../browser/navigation/navigation.tsx';
import { sendRequest } from '../../../../browser/requests/send-request.ts';
import { isRoleEnough, type OperatorRole } from '../../../../contract/operator-roles.ts';
import { Sheet } from '../../../../ui/layouts/card.tsx';
import { useRead } from '../../../account/read.part.tsx';
import { readToday } from '../../service.contract.ts';
import { ConsoleUnread } from '../layout/console-failed.part.tsx';
import { ConsolePage } from '../layout/console-page.part.tsx';
import { listOf } from '../service/lists.part.ts';
import { ConcernSentence } from '../words/concern.part.tsx';
import { Statistics } from './statistics.part.tsx';
import css from './today.module.css';

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

function Concerns({ role }: { role: OperatorRole }) {
  const { when } = useTimes();
  const read = useRead((signal) => sendRequest(readToday, { signal }));
  const { response, failure } = read;
  if (!response) return <ConsoleUnread failure={failure} retry={read.again} />;
  const { items, examined_at } = response;
  return (
    <Sheet title={items.length === 0 ? 'console_today.fine' : 'console_today.attention'}>
      <ul className={css.concerns}>
        {items.map(({ code, state, params, text, see }) => {
          const list = see === null ? undefined : listOf(see);
          return (
            <li key={code + text} className={state === 'failed' ? css.failed : css.warning}>
              <ConcernSentence code={code} params={params} text={text} />
              {list && isRoleEnough(role, list.role) && (
                <Link to={`/console/service/?list=${list.name}`}>
                  <Text id={list.label} />
                </Link>
              )}
            </li>
          );
        })}
        {examined_at && (
          <li className={items.length === 0 ? css.fine : css.note}>
            <span>
              <Text id="console_today.examined" values={{ when: when(examined_at) }} dir="auto" />
            </span>
          </li>
        )}
      </ul>
    </Sheet>
  );
}
