import { useEffect, useEffectEvent, useState } from 'react';
import { Text } from '../../../../browser/language/text.tsx';
import { useTimes } from '../../../../browser/language/times.ts';
import { Link } from '../../../../browser/navigation/navigation.tsx';
import { usePage } from '../../../../browser/navigation/page.tsx';
import { after } from '../../../../browser/platform/timers.ts';
import { sendRequest } from '../../../../browser/requests/send-request.ts';
import type { ResponseBody } from '../../../../contract/endpoint.ts';
import { seconds } from '../../../../contract/units.ts';
import { Button } from '../../../../ui/button.tsx';
import { Notice } from '../../../../ui/feedback/feedback.tsx';
import { Sheet, SheetFoot, SheetPart } from '../../../../ui/layouts/card.tsx';
import { useRead } from '../../../account/read.part.tsx';
import { readJob } from '../../people.contract.ts';
import { ConsoleFailed, ConsoleUnread, reasonOf } from '../layout/console-failed.part.tsx';
import { ConsolePage } from '../layout/console-page.part.tsx';
import { BulkActDialog } from '../people/bulk-act.part.tsx';
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
    <ConsolePage title={<Text id="console_job.page" />} lead={<Link to="/console/" text="console_people.page" />}>
      {() => <Progress key={id} id={id} />}
    </ConsolePage>
  );
}

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
  const { act, done, total, created_at, finished_at, failures } = job;
  return (
    <>
      <ConsoleFailed failure={failure} />
      <Sheet title={actOf(act).label}>
        <SheetPart>
          <div className={css.progress}>
            <p id="progress" role="status">
              <Text id="console_job.progress" values={{ done, total }} />
            </p>
            <progress aria-labelledby="progress" value={done} max={total} />
            <p className={css.at}>{when(finished_at ?? created_at)}</p>
          </div>
        </SheetPart>
      </Sheet>
      {finished_at && failures.length === 0 && <Notice kind="success" role="status" text="console_act.done" />}
      {failures.length > 0 && <Failures job={job} />}
    </>
  );
}

/** For whom the act failed, and why; it can be tried again for them. */
function Failures({ job: { act, failures, finished_at } }: { job: Job }) {
  const [isOpen, setOpen] = useState(false);
  const left = failures.flatMap(({ id, name, code }) => (code === 'not_found' ? [] : [{ id, name: name ?? id }]));
  return (
    <Sheet title="console_job.failures">
      <ul className={css.failures}>
        {failures.map(({ id, name, code }) => (
          <li key={id}>
            {name === null ? (
              <bdi>{id}</bdi>
            ) : (
              <Link to={`/console/people/${id}/`}>
                <bdi>{name}</bdi>
              </Link>
            )}
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
