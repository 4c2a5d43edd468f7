import { useEffect, useState } from 'react';
import { Text } from '../../../../browser/language/text.tsx';
import { useTimes } from '../../../../browser/language/times.ts';
import { Link, useQuery } from '../../../../browser/navigation/navigation.tsx';
import { useRequest } from '../../../../browser/requests/request-status.ts';
import { isRoleEnough, type OperatorRole } from '../../../../contract/operator-roles.ts';
import { Sheet, SheetEmpty } from '../../../../ui/layouts/card.tsx';
import { Chip, Chips } from '../layout/chips.part.tsx';
import { ListEnd } from '../layout/console-failed.part.tsx';
import { ConsolePage } from '../layout/console-page.part.tsx';
import { type ServiceLine, serviceLists } from './lists.part.ts';
import css from './service.module.css';

/** Lists of what the service sends, connects and runs with; one at a time. */
export default function Service() {
  return <ConsolePage title={<Text id="console_service.page" />}>{({ role }) => <Lists role={role} />}</ConsolePage>;
}

function Lists({ role }: { role: OperatorRole }) {
  const { query, change } = useQuery();
  const allowed = serviceLists.filter((list) => isRoleEnough(role, list.role));
  const shown = allowed.find(({ name }) => name === query.get('list')) ?? allowed[0];
  if (!shown) return null;
  return (
    <Sheet>
      <div className={css.bar}>
        <Chips label="records.filters">
          {allowed.map(({ name, label }) => (
            <Chip key={name} pressed={name === shown.name} press={() => change({ list: name })} label={label} />
          ))}
        </Chips>
      </div>
      <Lines key={shown.name} read={shown.read} />
    </Sheet>
  );
}

type Read = (typeof serviceLists)[number]['read'];

function Lines({ read }: { read: Read }) {
  const [page, setPage] = useState<Awaited<ReturnType<Read>>>();
  const request = useRequest(async (signal, cursor?: string) => {
    const next = await read(signal, cursor);
    setPage((before) => (cursor && before ? { ...next, items: [...before.items, ...next.items] } : next));
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once for each list
  useEffect(() => void request.start(), []);
  const isBusy = request.state === 'pending';
  return (
    <>
      {page?.items.length === 0 && <SheetEmpty id="console_timeline.none" role="status" />}
      <ul className={css.lines} aria-busy={isBusy || undefined}>
        {page?.items.map((line) => (
          <Line key={line.id} line={line} />
        ))}
      </ul>
      <ListEnd request={request} next={page?.next} />
    </>
  );
}

function Line({ line: { name, details, at, person, bad } }: { line: ServiceLine }) {
  const { when } = useTimes();
  return (
    <li className={bad ? css.bad : undefined}>
      <span className={css.name}>
        {person ? (
          <Link to={`/console/people/${person}/`}>
            <bdi>{name}</bdi>
          </Link>
        ) : (
          <bdi>{name}</bdi>
        )}
      </span>
      <span className={css.details}>
        {details.filter(Boolean).map((detail) => (
          <bdi key={String(detail)}>{detail}</bdi>
        ))}
      </span>
      <span className={css.at}>{at && when(at)}</span>
    </li>
  );
}
