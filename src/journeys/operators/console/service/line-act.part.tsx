import type { ReactNode } from 'react';
import { Paragraph, useText } from '../../../../browser/language/text.tsx';
import { RequestFailure } from '../../../../browser/requests/request-failure.ts';
import { sendRequest } from '../../../../browser/requests/send-request.ts';
import type { OperatorRole } from '../../../../contract/operator-roles.ts';
import type { MessageId } from '../../../../messages/ids.ts';
import { confirmApplication } from '../../applications.contract.ts';
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
import { ActDialog, type Sending } from '../layout/act-dialog.part.tsx';
import { ShownOnce } from '../layout/shown-once.part.tsx';
import { EventsField, eventsIn } from './events-field.part.tsx';
import type { LineActName, ServiceLine } from './lists.part.ts';

interface Act {
  readonly label: MessageId;
  readonly does: MessageId;
  /** The role that it needs. */
  readonly role: OperatorRole;
  readonly danger?: boolean;
}

/** What an operator can do about a line of a list. */
export const lineActs: Readonly<Record<LineActName, Act>> = {
  retry_email: { label: 'recovery.resend', does: 'console_act.retry_one_does', role: 'support' },
  retry_webhook: { label: 'recovery.resend', does: 'console_act.retry_one_does', role: 'support' },
  allow: { label: 'console_act.allow', does: 'console_act.allow_does', role: 'support' },
  enable_webhook: { label: 'console_webhooks.enable', does: 'console_webhooks.enable_does', role: 'support' },
  test_webhook: { label: 'console_webhooks.test', does: 'console_webhooks.test_does', role: 'owner' },
  change_events: { label: 'console_webhooks.change', does: 'console_webhooks.change_does', role: 'owner' },
  add_secret: { label: 'console_webhooks.secret', does: 'console_webhooks.secret_does', role: 'owner' },
  drop_secret: { label: 'console_webhooks.drop', does: 'console_webhooks.drop_does', role: 'owner' },
  confirm_application: {
    label: 'console_applications.confirm',
    does: 'console_applications.confirm_does',
    role: 'owner',
  },
  remove_webhook: { label: 'pauses.remove', does: 'console_webhooks.remove_does', role: 'owner', danger: true },
};

interface LineActProps {
  line: ServiceLine;
  act: LineActName;
  /** What the line is about. */
  whom: ReactNode;
  /** Called once the act is done, with what the list shows then instead of the line, if anything. */
  done: (after: ServiceLine | undefined) => void;
  /** The same, if only the server knows what the list shows then. */
  reread: () => void;
  close: () => void;
}

/** The dialog of an act that a line of a list offers. */
export function LineAct({ line, act, whom, done, reread, close }: LineActProps) {
  const t = useText();
  const { id } = line;
  async function retry(endpoint: typeof retryEmails | typeof retryDeliveries, reason: string | undefined, by: Sending) {
    const { retried } = await sendRequest(endpoint, { body: { ids: [id], reason }, ...by });
    if (retried.length === 0) throw new RequestFailure(0, { ownMessage: t('console_act.none_sent') });
    done({ ...line, acts: [], state: 'queued' });
    return undefined;
  }
  async function changeReceiver(
    endpoint: typeof enableWebhook | typeof dropWebhookSecret | typeof removeWebhook,
    reason: string | undefined,
    by: Sending,
  ) {
    await sendRequest(endpoint, { params: { id }, body: { reason }, ...by });
    reread();
    return undefined;
  }
  const senders: Readonly<
    Record<Exclude<LineActName, 'change_events'>, (reason: string | undefined, by: Sending) => Promise<ReactNode>>
  > = {
    retry_email: (...given) => retry(retryEmails, ...given),
    retry_webhook: (...given) => retry(retryDeliveries, ...given),
    async allow(reason, by) {
      await sendRequest(allowAddress, { body: { who: line.who ?? '', reason }, ...by });
      done(undefined);
      return undefined;
    },
    async test_webhook(reason, by) {
      const { delivered, error } = await sendRequest(testWebhook, { params: { id }, body: { reason }, ...by });
      if (!delivered)
        throw new RequestFailure(0, { ownMessage: t('console_webhooks.refused', { words: error ?? '' }) });
      return <Paragraph id="console_webhooks.accepted" />;
    },
    async add_secret(reason, by) {
      const { secret } = await sendRequest(addWebhookSecret, { params: { id }, body: { reason }, ...by });
      reread();
      return <ShownOnce secret={secret} />;
    },
    async confirm_application(reason, by) {
      await sendRequest(confirmApplication, { params: { id }, body: { reason }, ...by });
      reread();
      return undefined;
    },
    enable_webhook: (...given) => changeReceiver(enableWebhook, ...given),
    drop_secret: (...given) => changeReceiver(dropWebhookSecret, ...given),
    remove_webhook: (...given) => changeReceiver(removeWebhook, ...given),
  };
  const { label, does, danger } = lineActs[act];
  return (
    <ActDialog
      label={label}
      does={does}
      danger={danger}
      whom={whom}
      fields={(field) => act === 'change_events' && <EventsField field={field('events')} checked={line.events} />}
      send={async (typed, by) => {
        const reason = typed('reason') || undefined;
        if (act !== 'change_events') return senders[act](reason, by);
        await sendRequest(changeWebhook, { params: { id }, body: { events: eventsIn(typed), reason }, ...by });
        reread();
        return undefined;
      }}
      close={close}
    />
  );
}
