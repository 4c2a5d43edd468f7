import { useEffect, useEffectEvent, useState } from 'react';
import { Paragraph, Text } from '../../../../browser/language/text.tsx';
import { useTimes } from '../../../../browser/language/times.ts';
import { Link } from '../../../../browser/navigation/navigation.tsx';
import { usePage } from '../../../../browser/navigation/page.tsx';
import { after } from '../../../../browser/platform/timers.ts';
import { sendRequest } from '../../../../browser/requests/send-request.ts';
import type { ResponseBody } from '../../../../contract/endpoint.ts';
import type { JobStop } from '../../../../contract/operators.ts';
import { seconds } from '../../../../contract/units.ts';
import type { MessageId } from '../../../../messages/ids.ts';
import { Button } from '../../../../ui/button.tsx';
import { Notice } from '../../../../ui/feedback/feedback.tsx';
import { Sheet, SheetFoot, SheetPart } from '../../../../ui/layouts/card.tsx';
import { useRead } from '../../../account/read.part.tsx';
import { listJobPeople, readJob } from '../../jobs.contract.ts';
import { ConsoleFailed, ConsolePage, ConsoleUnread, reasonOf } from '../layout/console-page.part.tsx';
import { ListEnd, usePages } from '../layout/list.part.tsx';
import { BulkActDialog } from '../people/bulk-acts.part.tsx';
import { actOf } from '../person/acts.part.ts';
import css from './job.module.css';

type Job = ResponseBody<typeof readJob>;

/** Milliseconds between two looks at a job that is not finished. */
const every = seconds(1);

/** How far an act for several people is, and for whom it failed. It goes on without this page. */
export default function JobPage() {
  const { params } = usePage();
  const id = params.id ?? '';
  return (
    <ConsolePage
      title={<Text id="console_job.page" />}
      lead={<Link to="/console/service/?list=jobs" text="console_service.jobs" />}
    >
      {() => <Progress key={id} id={id} />}
    </ConsolePage>
  );
}

const stopWords = {
  role: 'console_job.stopped_role',
  account: 'console_job.stopped_account',
  password: 'console_job.stopped_password',
  key: 'console_job.stopped_key',
} as const satisfies Record<JobStop, MessageId>;

function Progress({ id }: { id: string }) {
  const { when } = useTimes();
  const read = useRead(async (signal) => {
    return sendRequest(readJob, { params: { id }, signal });
  });
  const { response: job, failure } = read;
  const look = useEffectEvent(() => read.again());
  const isRunning = job && !job.finished_at && !read.waiting && !failure;
  useEffect(() => (isRunning ? after(every, () => look()) : undefined), [isRunning]);
  if (failure?.code === 'not_found') return <Notice kind="info" text="console_timeline.none" />;
  if (!job) return <ConsoleUnread failure={failure} retry={read.again} />;
  const { act, done, total, created_at, finished_at, stopped, failures, actor, actor_name, reason } = job;
  return (
    <>
      <ConsoleFailed failure={failure} />
      <Sheet title={actOf(act).label}>
        <SheetPart>
          <div className={css.progress}>
            <p id="progress" role="status">
              <Text id="console_job.progress" values={{ done, total }} />
              {failures.length > 0 && (
                <>
                  {' · '}
                  <Text id="console_service.failed" values={{ count: failures.length }} />
                </>
              )}
            </p>
            <progress aria-labelledby="progress" value={done} max={total} />
            <p className={css.at}>
              {when(finished_at ?? created_at)}
              {' · '}
              <bdi>{actor_name ?? actor}</bdi>
            </p>
            {reason && (
              <p className={css.reason}>
                <bdi>{reason}</bdi>
              </p>
            )}
          </div>
        </SheetPart>
      </Sheet>
      {stopped && (
        <Notice kind="danger">
          <Paragraph id={stopWords[stopped]} values={{ name: actor_name ?? actor }} />
        </Notice>
      )}
      {finished_at && !stopped && failures.length === 0 && (
        <Notice kind="success" role="status" text="console_act.done" />
      )}
      {failures.length > 0 && <Failures job={job} />}
      <People key={finished_at} id={job.id} />
    </>
  );
}

const states = {
  waiting: 'console_timeline.waits',
  failed: 'console_timeline.failed',
  stopped: 'console_job.stopped',
} as const;

/** For whom the act is. */
function People({ id }: { id: string }) {
  const list = usePages(
    (signal, cursor) => sendRequest(listJobPeople, { params: { id }, query: cursor ? { cursor } : {}, signal }),
    [],
  );
  return (
    <Sheet title="console_people.page" busy={list.isBusy}>
      <ul className={css.people}>
        {list.page?.items.map(({ id, name, state }) => (
          <li key={id}>
            <Person id={id} name={name} />
            <span className={css.reason}>{state !== 'done' && <Text id={states[state]} />}</span>
          </li>
        ))}
      </ul>
      <ListEnd list={list} label="console_job.more" />
    </Sheet>
  );
}

/** By the id once the account is gone. */
const Person = ({ id, name }: { id: string; name: string | null }) =>
  name === null ? (
    <span>
      <bdi>{id}</bdi>
    </span>
  ) : (
    <Link to={`/console/people/${id}/`}>
      <bdi>{name}</bdi>
    </Link>
  );

/** For whom the act failed, and why; it can be tried again for them. */
function Failures({ job: { act, failures, finished_at } }: { job: Job }) {
  const [isOpen, setOpen] = useState(false);
  const left = failures.flatMap(({ id, name, code }) => (code === 'not_found' ? [] : [{ id, name: name ?? id }]));
  return (
    <Sheet title="console_job.failures">
      <ul className={css.people}>
        {failures.map(({ id, name, code }) => (
          <li key={id}>
            <Person id={id} name={name} />
            <span className={css.reason}>
              <Text id={reasonOf(code)} />
            </span>
          </li>
        ))}
      </ul>
      {finished_at && left.length > 0 && (
        <SheetFoot>
          <Button label="form.retry" quiet narrow onClick={() => setOpen(true)} />
        </SheetFoot>
      )}
      {isOpen && <BulkActDialog people={left} given={act} close={() => setOpen(false)} />}
    </Sheet>
  );
}
