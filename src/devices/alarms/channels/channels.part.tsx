import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useForm } from '../../../browser/forms/form.ts';
import { Paragraph, Text, useText } from '../../../browser/language/text.tsx';
import { useTimes } from '../../../browser/language/times.ts';
import { Link } from '../../../browser/navigation/navigation.tsx';
import { useRequest } from '../../../browser/requests/request-status.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { notifyOtherTabs, useAccountChanges } from '../../../browser/requests/session.ts';
import type { ResponseBody } from '../../../contract/endpoint.ts';
import { minutes } from '../../../contract/units.ts';
import { FormButtons } from '../../../journeys/account/layout/rows.part.tsx';
import type { MessageId } from '../../../messages/ids.ts';
import { Button } from '../../../ui/button.tsx';
import { Failed, Notice } from '../../../ui/feedback/feedback.tsx';
import { FormProblems } from '../../../ui/feedback/form-problems.tsx';
import { SelectField } from '../../../ui/fields/choice-fields.tsx';
import { FormStack, Sheet, SheetPart } from '../../../ui/layouts/card.tsx';
import { channelFacts, isTimedChannel, type TimedChannelName } from '../../contract/alarm-channels.ts';
import { PushHere, TelegramSetup, WebhookSetup } from './channel-setups.part.tsx';
import { type AlarmChannels, listAlarmChannels, testAlarmChannel } from './channels.contract.ts';
import css from './channels.module.css';

type Channel = AlarmChannels[number];

interface ChannelsProps {
  /** Called when a rule may reach the owner in another way. */
  readonly changed: () => void;
  /** Below them. */
  readonly children: ReactNode;
}

/** Every way in which alarms can reach the owner, the calmest first. Reads its own data. */
export function Channels({ changed, children }: ChannelsProps) {
  const [channels, setChannels] = useState<AlarmChannels>();
  const reading = useRequest(async (signal) => {
    setChannels((await sendRequest(listAlarmChannels, { signal })).channels);
  });
  const read = () => void reading.start();
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, when the section appears
  useEffect(read, []);
  useAccountChanges(reading.restart, reading.start);
  return (
    <Sheet title="channels.title" busy={reading.state === 'pending'}>
      {channels?.map((channel) => (
        <Row
          key={channel.channel}
          channel={channel}
          changed={(next) => {
            setChannels(next);
            changed();
          }}
          read={() => {
            read();
            changed();
          }}
        />
      ))}
      {reading.error && (
        <SheetPart>
          <Failed failure={reading.error} />
          <Button label="form.retry" quiet narrow onClick={read} />
        </SheetPart>
      )}
      {children}
    </Sheet>
  );
}

interface RowProps {
  readonly channel: Channel;
  readonly changed: (channels: AlarmChannels) => void;
  /** Reads the channels again. */
  readonly read: () => void;
}

interface ChannelRowProps {
  /** Of its heading. */
  readonly id: string;
  readonly title: MessageId;
  readonly details: ReactNode;
  /** Beside the words. */
  readonly buttons: ReactNode;
  /** Whether a form replaces the buttons. */
  readonly isOpen: boolean;
  /** Below the words, such as that form. */
  readonly children?: ReactNode;
}

/** A row of the list: a name, what is set, and how to change it. */
export function ChannelRow({ id, title, details, buttons, isOpen, children }: ChannelRowProps) {
  const row = useRef<HTMLDivElement>(null);
  const wasOpen = useRef(isOpen);
  // The focused button disappears, and so does the form.
  useEffect(() => {
    if (wasOpen.current !== isOpen)
      row.current?.querySelector<HTMLElement>(isOpen ? 'input, select' : 'button')?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  return (
    <div ref={row} className={css.channel}>
      <div className={css.words}>
        <h3 id={id} className={css.name}>
          <Text id={title} />
        </h3>
        {details}
      </div>
      {!isOpen && <div className={css.buttons}>{buttons}</div>}
      <div className={css.below}>{children}</div>
    </div>
  );
}

/** Muted words below the name of a channel. */
export const ChannelDetail = ({ children }: { children: ReactNode }) => <p className={css.detail}>{children}</p>;

/** Its name, whom it reaches and when, whether it works, and a test that says what was answered. */
function Row({ channel, changed, read }: RowProps) {
  const { channel: name, recipient, broken, broken_since: since } = channel;
  const [isOpen, setOpen] = useState(false);
  const [tested, setTested] = useState<ResponseBody<typeof testAlarmChannel>>();
  const { brief } = useTimes();
  const testing = useRequest(async (signal) => {
    setTested(undefined);
    setTested(await sendRequest(testAlarmChannel, { body: { channel: name }, signal }));
    read();
  });
  const heading = `channel-${name}`;
  const isChanging = isOpen && isTimed(channel);
  return (
    <ChannelRow
      id={heading}
      title={channelFacts[name].words}
      details={
        <>
          <ChannelDetail>
            {recipient !== null && (
              <>
                <bdi>{recipient}</bdi>
                {' · '}
              </>
            )}
            <Use channel={channel} />
          </ChannelDetail>
          {broken !== null && since !== null && (
            <Paragraph
              className={css.broken}
              id="channels.broken"
              values={{ when: brief(since), why: broken }}
              dir="auto"
            />
          )}
        </>
      }
      isOpen={isChanging}
      buttons={
        <>
          {recipient !== null && <Button label="channels.test" aria-describedby={heading} plain request={testing} />}
          {recipient === null && isPhoned(name) && <Link to="/account/security/" text="phone.confirm" />}
          {recipient === null && name === 'telegram' && <TelegramSetup heading={heading} read={read} />}
          {name === 'webhook' && <WebhookSetup heading={heading} isSet={recipient !== null} read={read} />}
          {recipient !== null && isTimed(channel) && (
            <Button
              label="pauses.change"
              aria-describedby={heading}
              plain
              onClick={() => {
                setTested(undefined);
                setOpen(true);
              }}
            />
          )}
          {name === 'push' && <PushHere changed={read} />}
        </>
      }
    >
      {isChanging && <UseForm channel={channel} changed={changed} close={() => setOpen(false)} />}
      {tested && (
        <Notice kind={tested.state === 'sent' ? 'success' : 'danger'} role="status">
          {tested.state === 'sent' ? (
            <Text id="channels.tested" values={{ said: tested.said }} dir="auto" />
          ) : (
            <Text id="incidents.failed" values={{ why: tested.said }} dir="auto" />
          )}
        </Notice>
      )}
      <Failed failure={testing.error} />
    </ChannelRow>
  );
}

/** The owner named its place, which the service forgets if it is not used. */
const isPlaced = (name: Channel['channel']) => channelFacts[name].place === 'elsewhere';
/** It reaches the account's number. */
const isPhoned = (name: Channel['channel']) => isTimedChannel(name) && channelFacts[name].place === 'account';

/** When the channel is used, or what it needs. */
function Use({ channel: { channel: name, recipient, after_minutes: after } }: { channel: Channel }) {
  const inWords = useUseWords();
  if (recipient === null && name === 'email') return <Text id="alarms.email_unconfirmed" />;
  if (recipient === null && isPhoned(name)) return <Text id="channels.unconfirmed" />;
  if (recipient === null) return <Text id="channels.not_set_up" />;
  return inWords(after);
}

/** "After 5 min without acknowledgment"; null: never. */
function useUseWords() {
  const t = useText();
  const { duration } = useTimes();
  return (after: number | null): string => {
    if (after === null) return t('channels.off');
    return after === 0 ? t('channels.at_once') : t('channels.after', { duration: duration(minutes(after)) });
  };
}

const isTimed = (channel: Channel): channel is TimedChannel => isTimedChannel(channel.channel);

type TimedChannel = Channel & { readonly channel: TimedChannelName };

/** Minutes that the list offers; the API accepts any up to a day. */
const offered = [0, 2, 5, 10, 15, 30, 60];
const off = 'off';

interface UseFormProps {
  readonly channel: TimedChannel;
  readonly changed: (channels: AlarmChannels) => void;
  readonly close: () => void;
}

function UseForm({ channel: { channel, after_minutes: after }, changed, close }: UseFormProps) {
  const t = useText();
  const inWords = useUseWords();
  const form = useForm({
    contract: () => import('./channels.contract.ts'),
    schema: ({ channelForm }) => channelForm,
    initial: { channel_after: after === null ? off : String(after) },
    async send({ changeAlarmChannel }, { channel_after: chosen }, signal) {
      const body = { channel, after_minutes: chosen === off ? null : Number(chosen) };
      changed((await sendRequest(changeAlarmChannel, { body, signal })).channels);
      notifyOtherTabs();
      close();
    },
  });
  const all = after === null || offered.includes(after) ? offered : [...offered, after].sort((a, b) => a - b);
  return (
    <FormStack {...form.props}>
      <FormProblems form={form} />
      <SelectField field={form.field('channel_after')} label="channels.when">
        {[...all, null].map((one) => (
          <option key={one} value={one ?? off}>
            {one === null && isPlaced(channel) ? t('channels.remove') : inWords(one)}
          </option>
        ))}
      </SelectField>
      <FormButtons form={form} label="account.save" cancel={close} />
    </FormStack>
  );
}
