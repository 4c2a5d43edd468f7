import { startTransition, useEffect, useState } from 'react';
import { useForm } from '../../browser/forms/form.ts';
import { Paragraph, Text } from '../../browser/language/text.tsx';
import { useAccount } from '../../browser/requests/account.ts';
import { useRequest } from '../../browser/requests/request-status.ts';
import { sendRequest } from '../../browser/requests/send-request.ts';
import { notifyOtherTabs, useAccountChanges } from '../../browser/requests/session.ts';
import { FormButtons } from '../../journeys/account/layout/rows.part.tsx';
import { AccountNotices } from '../../journeys/account/notices/account-notices.part.tsx';
import { Button } from '../../ui/button.tsx';
import { Failed, Overdue } from '../../ui/feedback/feedback.tsx';
import { FormProblems } from '../../ui/feedback/form-problems.tsx';
import { Checkbox } from '../../ui/fields/choice-fields.tsx';
import { Field, Input, inputProps } from '../../ui/fields/field.tsx';
import { AccountLayout, AccountUnread } from '../../ui/layouts/account-layout.tsx';
import { Card, Columns, FormStack, Title } from '../../ui/layouts/card.tsx';
import { WayBack } from '../../ui/layouts/page-head.tsx';
import css from './alarm-rules.module.css';
import { type Alarms, readAlarms } from './alarms.contract.ts';
import { ChannelDetail, ChannelRow, Channels } from './channels/channels.part.tsx';
import { Pauses, useZonedTimes } from './pauses.part.tsx';
import { Rules } from './rules.part.tsx';

/** The page where owners choose their alarms. */
export default function AlarmRulesPage() {
  const { account, failure, retry } = useAccount();
  return (
    <AccountLayout wide>
      <WayBack to="/alarms/" text="account_alarms.page" />
      <Title text="rules.title" />
      {account ? (
        <>
          <AccountNotices account={account} areAlarms />
          <AlarmSettings />
        </>
      ) : (
        <AccountUnread failure={failure} retry={retry} />
      )}
    </AccountLayout>
  );
}

/** Rules, channels of this browser, times without alarms. Reads its own data. */
function AlarmSettings() {
  const [alarms, setAlarms] = useState<Alarms>();
  const reading = useRequest(async (signal) => {
    const read = await sendRequest(readAlarms, { signal });
    // A transition renders the names of all devices in short tasks.
    startTransition(() => setAlarms(read));
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, when the section appears
  useEffect(() => void reading.start(), []);
  useAccountChanges(reading.restart, reading.start);
  /** Only what a response contains changes, since another one may have arrived first. */
  const change = (next: Partial<Alarms>) => setAlarms((known) => known && { ...known, ...next });
  const changePauses = (next: Pick<Alarms, 'pauses'>) => {
    change(next);
    // An offer that was accepted is none anymore.
    void reading.start();
  };
  if (!alarms)
    return (
      <Card>
        {reading.error && (
          <>
            <Failed failure={reading.error} />
            <Button label="form.retry" quiet narrow onClick={() => void reading.start()} />
          </>
        )}
        <Overdue waiting={reading.state === 'pending'} retry={reading.restart} />
      </Card>
    );
  return (
    <Columns
      beside={
        <>
          <Channels changed={() => void reading.start()}>
            <QuietHours alarms={alarms} changed={change} />
          </Channels>
          <Pauses alarms={alarms} changed={changePauses} />
        </>
      }
    >
      <Rules alarms={alarms} changed={change} again={reading.restart} />
    </Columns>
  );
}

/** Labels of the fields whose messages do not name the field, for the summary of errors. */
const labels = { alarm_from: 'alarms.quiet_from', alarm_until: 'alarms.quiet_until' } as const;

interface QuietHoursProps {
  readonly alarms: Alarms;
  readonly changed: (alarms: Alarms) => void;
}

/** The hours in which calm messages wait, and a form that changes them. */
function QuietHours(props: QuietHoursProps) {
  const { quiet_hours: quiet } = props.alarms;
  const [isOpen, setOpen] = useState(false);
  const { clock } = useZonedTimes();
  return (
    <ChannelRow
      id="quiet-hours"
      title="alarms.quiet_hours"
      details={
        <ChannelDetail>
          {quiet ? `${clock(quiet.from)} – ${clock(quiet.until)}` : <Text id="channels.off" />}
        </ChannelDetail>
      }
      isOpen={isOpen}
      buttons={<Button label="pauses.change" aria-describedby="quiet-hours" plain onClick={() => setOpen(true)} />}
    >
      {isOpen && <QuietForm {...props} close={() => setOpen(false)} />}
    </ChannelRow>
  );
}

function QuietForm({ alarms, changed, close }: QuietHoursProps & { readonly close: () => void }) {
  const form = useForm({
    contract: () => import('./alarms.contract.ts'),
    schema: ({ quietForm }) => quietForm,
    initial: {
      alarm_quiet: true,
      alarm_from: alarms.quiet_hours?.from ?? '22:00',
      alarm_until: alarms.quiet_hours?.until ?? '07:00',
    },
    async send({ changeQuietHours }, { alarm_quiet: isOn, alarm_from: from, alarm_until: until }, signal) {
      changed(await sendRequest(changeQuietHours, { body: { quiet_hours: isOn ? { from, until } : null }, signal }));
      notifyOtherTabs();
      close();
    },
  });
  const quiet = form.field('alarm_quiet');
  return (
    <FormStack {...form.props}>
      <FormProblems form={form} labels={labels} />
      <Checkbox field={quiet} label="alarms.quiet" />
      <div hidden={!quiet.value}>
        <div className={css.times}>
          <Field field={form.field('alarm_from')} label="alarms.quiet_from">
            <Input type="time" {...inputProps(form.field('alarm_from'))} />
          </Field>
          <Field field={form.field('alarm_until')} label="alarms.quiet_until">
            <Input type="time" {...inputProps(form.field('alarm_until'))} />
          </Field>
        </div>
        <Paragraph className={css.hint} id="alarms.quiet_hint" values={{ zone: alarms.time_zone }} dir="auto" />
      </div>
      <FormButtons form={form} label="account.save" cancel={close} />
    </FormStack>
  );
}
