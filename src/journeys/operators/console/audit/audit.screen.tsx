import { useState } from 'react';
import { Paragraph, Text, useText } from '../../../../browser/language/text.tsx';
import { Link, useQuery } from '../../../../browser/navigation/navigation.tsx';
import { useTypedParameter } from '../../../../browser/navigation/typed-parameter.ts';
import { saveFile } from '../../../../browser/platform/save-file.ts';
import { useRequest } from '../../../../browser/requests/request-status.ts';
import { sendRequest } from '../../../../browser/requests/send-request.ts';
import type { ResponseBody } from '../../../../contract/endpoint.ts';
import { type ActorKind, type AuditKind, type BulkAct, bulkActs } from '../../../../contract/operators.ts';
import type { MessageId } from '../../../../messages/ids.ts';
import { Button } from '../../../../ui/button.tsx';
import { Notice } from '../../../../ui/feedback/feedback.tsx';
import { Sheet, SheetEmpty } from '../../../../ui/layouts/card.tsx';
import { checkAudit, readAudit, readNewestAudit } from '../../audit.contract.ts';
import { ConsoleFailed, ConsolePage } from '../layout/console-page.part.tsx';
import { Days, FilterBar, Filters, ListEnd, usePages } from '../layout/list.part.tsx';
import { actOf } from '../person/acts.part.ts';
import { actionWords } from '../words/codes.part.ts';
import css from './audit.module.css';

type Entry = ResponseBody<typeof readNewestAudit>['items'][number];

const kindNames = {
  views: 'console_audit.views',
  changes: 'console_timeline.changes',
  settings: 'console_service.settings',
} as const satisfies Record<AuditKind, MessageId>;

const actorNames = {
  operator: 'console_operators.page',
  key: 'console_operators.keys',
  command: 'console_audit.command',
  service: 'console_service.page',
} as const satisfies Record<ActorKind, MessageId>;

interface AuditFilters {
  kind?: AuditKind;
  actor_kind?: ActorKind;
  /** An address or the id of an account. */
  person?: string;
}

/** The filters in the address of the page. */
function useFilters(): AuditFilters {
  const { query } = useQuery();
  const person = (query.get('person') ?? '').trim();
  const kind = (Object.keys(kindNames) as AuditKind[]).find((one) => one === query.get('kind'));
  const by = (Object.keys(actorNames) as ActorKind[]).find((one) => one === query.get('by'));
  return { ...(kind && { kind }), ...(by && { actor_kind: by }), ...(person && { person }) };
}

/** What operators, keys and commands did, the newest first; whether anyone changed that; and what is shown as a file. */
export default function Audit() {
  const filters = useFilters();
  const [faults, setFaults] = useState<readonly string[]>();
  const check = useRequest(async (signal) =>
    setFaults((await sendRequest(checkAudit, { query: undefined, signal })).faults),
  );
  const save = useRequest(async (signal) => {
    const lines: string[] = [];
    for (let cursor = '0'; ; ) {
      const { items, next } = await sendRequest(readAudit, { query: { ...filters, cursor, limit: '1000' }, signal });
      if (items.length === 0) break;
      lines.push(...items.map((entry) => JSON.stringify(entry)));
      cursor = next;
    }
    saveFile('audit.jsonl', { parts: [`${lines.join('\n')}\n`], type: 'application/x-ndjson' });
  });
  return (
    <ConsolePage
      title={<Text id="console_audit.page" />}
      actions={() => (
        <>
          <Button
            label="console_audit.check"
            quiet
            narrow
            busy={check.state === 'pending' ? 'form.wait' : undefined}
            onClick={() => void check.start()}
          />
          <Button
            label="records.jsonl"
            quiet
            narrow
            busy={save.state === 'pending' ? 'form.wait' : undefined}
            onClick={() => void save.start()}
          />
        </>
      )}
    >
      {() => (
        <>
          <ConsoleFailed failure={check.error ?? save.error} />
          {faults && <Checked faults={faults} />}
          <Entries filters={filters} />
        </>
      )}
    </ConsolePage>
  );
}

const Checked = ({ faults }: { faults: readonly string[] }) =>
  faults.length === 0 ? (
    <Notice kind="success" role="status" text="console_audit.intact" />
  ) : (
    <Notice kind="danger" role="alert">
      <Paragraph id="console_audit.broken" />
      {faults.map((fault) => (
        <p key={fault} lang="en" dir="ltr">
          {fault}
        </p>
      ))}
    </Notice>
  );

/** An id with its name, of which people read the name; and how many accounts a search found. */
const named = /^[\da-f]{8}-[\da-f-]{27} \(([^()]+)\)/;
const counted = /^(\d+) accounts$/;

/** What an entry is about, with a link to its page if it has one. */
function Subject({ subject, account_id, job_id }: Pick<Entry, 'subject' | 'account_id' | 'job_id'>) {
  const [, act, count] = (job_id && /^(\w+): (\d+) /.exec(subject)) || [];
  if (job_id && bulkActs.some((one) => one === act))
    return (
      <Link to={`/console/jobs/${job_id}/`}>
        <Text id={actOf(act as BulkAct).label} />
        {`: ${count}`}
      </Link>
    );
  const words = <bdi>{subject.replace(named, '$1').replace(counted, '$1')}</bdi>;
  return account_id ? <Link to={`/console/people/${account_id}/`}>{words}</Link> : words;
}

const isAuditKind = (name: AuditKind | ActorKind): name is AuditKind => Object.hasOwn(kindNames, name);

function Entries({ filters }: { filters: AuditFilters }) {
  const t = useText();
  const { change } = useQuery();
  const [typed, type] = useTypedParameter('person');
  const { kind, actor_kind, person } = filters;
  const list = usePages(
    (signal, cursor) => sendRequest(readNewestAudit, { query: { ...filters, ...(cursor && { cursor }) }, signal }),
    [kind, actor_kind, person],
  );
  const find = t('console_audit.person');
  return (
    <Sheet busy={list.isBusy}>
      <FilterBar
        find={{
          'aria-label': find,
          placeholder: find,
          value: typed,
          onChange: ({ target }) => type(target.value),
        }}
      >
        <Filters
          names={{ ...kindNames, ...actorNames }}
          chosen={[kind, actor_kind]}
          choose={(name) => {
            // Pressed again, a filter ends.
            if (isAuditKind(name)) change({ kind: name === kind ? undefined : name });
            else change({ by: name === actor_kind ? undefined : name });
          }}
          clear={() => change({ kind: undefined, by: undefined })}
        />
      </FilterBar>
      {list.page?.items.length === 0 && <SheetEmpty id="console_timeline.none" role="status" />}
      <Days of={list.page?.items ?? []} level="h2">
        {(entry) => <EntryRow entry={entry} />}
      </Days>
      <ListEnd list={list} />
    </Sheet>
  );
}

const EntryRow = ({ entry: { actor, actor_name, origin, action, reason, ...about } }: { entry: Entry }) => (
  <div className={css.entry}>
    <span className={css.who}>
      <span>
        <bdi>{actor_name ?? actor}</bdi>
      </span>
      <span className={css.detail}>
        <bdi>{origin}</bdi>
      </span>
    </span>
    <span>
      {actionWords[action] ? (
        <Text id={actionWords[action]} />
      ) : (
        <bdi lang="en" dir="ltr">
          {action.replaceAll('_', ' ')}
        </bdi>
      )}{' '}
      <Subject {...about} />
      {reason && (
        <span className={css.reason}>
          <bdi>{reason}</bdi>
        </span>
      )}
    </span>
  </div>
);
