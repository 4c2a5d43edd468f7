import { type ReactNode, useId } from 'react';
import { Paragraph, Text, useText } from '../../../../browser/language/text.tsx';
import { useTimes } from '../../../../browser/language/times.ts';
import { RequestFailure } from '../../../../browser/requests/request-status.ts';
import { sendRequest } from '../../../../browser/requests/send-request.ts';
import type { OperatorRole } from '../../../../contract/operators.ts';
import { type EventType, eventTypes } from '../../../../contract/webhook-events.ts';
import type { MessageId } from '../../../../messages/ids.ts';
import { Button } from '../../../../ui/button.tsx';
import { FieldError } from '../../../../ui/fields/field.tsx';
import { useRead } from '../../../account/read.part.tsx';
import {
  addApplicationSecret,
  changeApplication,
  confirmApplication,
  dropApplicationSecret,
  readApplication,
  removeApplication,
} from '../../applications.contract.ts';
import { allowAddress, retryEmails } from '../../service.contract.ts';
import {
  addWebhookSecret,
  changeWebhook,
  dropWebhookSecret,
  enableWebhook,
  removeWebhook,
  retryDeliveries,
  testWebhook,
} from '../../webhooks.contract.ts';
import { ActDialog, ConsoleDialog, type FieldOf, type Sending, ShownOnce } from '../layout/act-dialog.part.tsx';
import { ConsoleUnread } from '../layout/console-page.part.tsx';
import { ApplicationFields, typedApplication } from './application-form.part.tsx';
import css from './line-acts.module.css';
import type { LineActName, ServiceLine } from './lists.part.ts';

interface Given {
  readonly line: ServiceLine;
  readonly reason: string | undefined;
  readonly typed: (name: string) => string;
  readonly t: ReturnType<typeof useText>;
  readonly sending: Sending;
}

/** What the list shows then instead of the line, or `reread` if only the server knows; and what the dialog says. */
interface Sent {
  readonly line?: ServiceLine | 'reread' | 'none';
  readonly says?: ReactNode;
}

interface Act {
  readonly label: MessageId;
  readonly does: MessageId;
  /** The role that it needs. */
  readonly role: OperatorRole;
  readonly danger?: boolean;
  readonly fields?: (field: FieldOf, line: ServiceLine) => ReactNode;
  /** Absent if it only shows something. */
  readonly send?: (given: Given) => Promise<Sent>;
  readonly shows?: (line: ServiceLine) => ReactNode;
}

const retry =
  (endpoint: typeof retryEmails | typeof retryDeliveries) =>
  async ({ line, reason, t, sending }: Given): Promise<Sent> => {
    const { retried } = await sendRequest(endpoint, { body: { ids: [line.id], reason }, ...sending });
    if (retried.length === 0) throw new RequestFailure(0, { ownMessage: t('console_act.none_sent') });
    return { line: { ...line, acts: [], state: 'queued' } };
  };

type Changing =
  | typeof enableWebhook
  | typeof dropWebhookSecret
  | typeof removeWebhook
  | typeof confirmApplication
  | typeof dropApplicationSecret
  | typeof removeApplication;

const change =
  (endpoint: Changing) =>
  async ({ line: { id }, reason, sending }: Given): Promise<Sent> => {
    await sendRequest(endpoint, { params: { id }, body: { reason }, ...sending });
    return { line: 'reread' };
  };

const again = { label: 'recovery.resend', does: 'console_act.retry_one_does', role: 'support' } as const;
const removal = { label: 'pauses.remove', role: 'owner', danger: true } as const;

/** What an operator can do about a line of a list. */
export const lineActs: Readonly<Record<LineActName, Act>> = {
  retry_email: { ...again, send: retry(retryEmails) },
  retry_webhook: { ...again, send: retry(retryDeliveries) },
  allow: {
    label: 'console_act.allow',
    does: 'console_act.allow_does',
    role: 'support',
    async send({ line, reason, sending }) {
      await sendRequest(allowAddress, { body: { who: line.who ?? '', reason }, ...sending });
      return { line: 'none' };
    },
  },
  enable_webhook: {
    label: 'console_webhooks.enable',
    does: 'console_webhooks.enable_does',
    role: 'support',
    send: change(enableWebhook),
  },
  test_webhook: {
    label: 'console_webhooks.test',
    does: 'console_webhooks.test_does',
    role: 'owner',
    async send({ line: { id }, reason, t, sending }) {
      const { delivered, error } = await sendRequest(testWebhook, { params: { id }, body: { reason }, ...sending });
      if (!delivered)
        throw new RequestFailure(0, { ownMessage: t('console_webhooks.refused', { words: error ?? '' }) });
      return { says: <Paragraph id="console_webhooks.accepted" /> };
    },
  },
  change_events: {
    label: 'console_webhooks.change',
    does: 'console_webhooks.change_does',
    role: 'owner',
    fields: (field, { events }) => <EventsField field={field('events')} checked={events} />,
    async send({ line: { id }, reason, typed, sending }) {
      await sendRequest(changeWebhook, { params: { id }, body: { events: eventsIn(typed), reason }, ...sending });
      return { line: 'reread' };
    },
  },
  add_webhook_secret: {
    label: 'console_webhooks.secret',
    does: 'console_webhooks.secret_does',
    role: 'owner',
    async send({ line: { id }, reason, sending }) {
      const { secret } = await sendRequest(addWebhookSecret, { params: { id }, body: { reason }, ...sending });
      return { line: 'reread', says: <ShownOnce secret={secret} /> };
    },
  },
  drop_webhook_secret: {
    label: 'console_webhooks.drop',
    does: 'console_webhooks.drop_does',
    role: 'owner',
    send: change(dropWebhookSecret),
  },
  remove_webhook: { ...removal, does: 'console_webhooks.remove_does', send: change(removeWebhook) },
  confirm_application: {
    label: 'console_applications.confirm',
    does: 'console_applications.confirm_does',
    role: 'owner',
    send: change(confirmApplication),
  },
  change_application: {
    label: 'console_act.edit',
    does: 'console_applications.change_does',
    role: 'owner',
    fields: (field, { application }) => application && <ApplicationFields field={field} application={application} />,
    async send({ line: { id }, reason, typed, sending }) {
      const body = { ...typedApplication(typed), reason };
      const { client_secret } = await sendRequest(changeApplication, { params: { id }, body, ...sending });
      return { line: 'reread', says: client_secret && <ShownOnce secret={client_secret} /> };
    },
  },
  add_application_secret: {
    label: 'console_webhooks.secret',
    does: 'console_applications.secret_does',
    role: 'owner',
    async send({ line: { id }, reason, sending }) {
      const { client_secret: secret } = await sendRequest(addApplicationSecret, {
        params: { id },
        body: { reason },
        ...sending,
      });
      return { line: 'reread', says: <ShownOnce secret={secret ?? ''} /> };
    },
  },
  drop_application_secret: {
    label: 'console_webhooks.drop',
    does: 'console_applications.drop_does',
    role: 'owner',
    send: change(dropApplicationSecret),
  },
  show_refusals: {
    label: 'console_applications.refusals',
    does: 'console_applications.refusals_does',
    role: 'support',
    shows: ({ id }) => <Refusals id={id} />,
  },
  remove_application: { ...removal, does: 'console_applications.remove_does', send: change(removeApplication) },
};

interface LineActProps {
  line: ServiceLine;
  act: LineActName;
  /** What the line is about. */
  whom: ReactNode;
  /** Called once the act is done. */
  done: (after: NonNullable<Sent['line']>) => void;
  close: () => void;
}

/** The dialog of an act that a line of a list offers. */
export function LineAct({ line, act, whom, done, close }: LineActProps) {
  const t = useText();
  const { label, does, danger, fields, send, shows } = lineActs[act];
  if (!send)
    return (
      <ConsoleDialog label={label} does={does} whom={whom} close={close}>
        {shows?.(line)}
        <Button label="console_act.close" onClick={close} />
      </ConsoleDialog>
    );
  return (
    <ActDialog
      label={label}
      does={does}
      danger={danger}
      whom={whom}
      fields={(field) => fields?.(field, line)}
      send={async (typed, sending) => {
        const sent = await send({ line, reason: typed('reason') || undefined, typed, t, sending });
        if (sent.line) done(sent.line);
        return sent.says;
      }}
      close={close}
    />
  );
}

/** The types that are checked in a form with an `EventsField`. */
export const eventsIn = (typed: (name: string) => string): EventType[] =>
  eventTypes.filter((type) => typed(type) !== '');

interface EventsFieldProps {
  field: ReturnType<FieldOf>;
  /** Types that are checked at first. */
  checked?: readonly string[] | undefined;
}

/** A checkbox for each type of event. */
export function EventsField({ field: { id, error }, checked = [] }: EventsFieldProps) {
  const legend = useId();
  return (
    <fieldset className={css.events} aria-labelledby={legend} aria-describedby={error && `${id}-error`}>
      <p id={legend} className={css.legend}>
        <Text id="console_webhooks.events" />
      </p>
      {eventTypes.map((type) => (
        <label key={type} className={css.event}>
          <input type="checkbox" name={type} defaultChecked={checked.includes(type)} />
          <bdi dir="ltr" translate="no">
            {type}
          </bdi>
        </label>
      ))}
      <FieldError field={{ id, error }} />
    </fieldset>
  );
}

/** Why requests of an application were refused. */
function Refusals({ id }: { id: string }) {
  const { when } = useTimes();
  const read = useRead(async (signal) => (await sendRequest(readApplication, { params: { id }, signal })).refusals);
  if (!read.response) return <ConsoleUnread failure={read.failure} retry={read.again} />;
  if (read.response.length === 0) return <Paragraph id="console_timeline.none" />;
  return (
    <ul className={css.refusals}>
      {read.response.map(({ at, route, code, explanation, value, reference }) => (
        <li key={reference + code}>
          <span className={css.detail}>{when(at)}</span>
          <span lang="en" dir="ltr" translate="no">
            {[`${code}: ${explanation}`, value].filter(Boolean).join(' ')}
          </span>
          <span dir="ltr" translate="no" className={css.detail}>
            {route} {reference}
          </span>
        </li>
      ))}
    </ul>
  );
}
