import type { ReactNode } from 'react';
import { useText } from '../../../../browser/language/text.tsx';
import { RequestFailure } from '../../../../browser/requests/request-status.ts';
import { sendRequest } from '../../../../browser/requests/send-request.ts';
import type { OperatorRole } from '../../../../contract/operators.ts';
import type { MessageId } from '../../../../messages/ids.ts';
import { Field, Input, inputProps, TextField } from '../../../../ui/fields/field.tsx';
import { addPromoCode, retryEmails } from '../../service.contract.ts';
import { addWebhook, retryDeliveries } from '../../webhooks.contract.ts';
import { ActDialog, ShownOnce } from '../layout/act-dialog.part.tsx';
import { AddApplication } from './application-form.part.tsx';
import { EventsField, eventsIn } from './line-acts.part.tsx';

interface DialogProps {
  /** Called once it is done. */
  done: () => void;
  close: () => void;
}

interface ListAct {
  readonly label: MessageId;
  readonly role: OperatorRole;
  readonly Dialog: (props: DialogProps) => ReactNode;
  /** Whether it needs lines about which something can be done. */
  readonly needsActs?: true;
}

/** Adds an application that gets events, and shows its secret once. */
const AddReceiver = ({ done, close }: DialogProps) => (
  <ActDialog
    label="console_webhooks.add"
    does="console_webhooks.add_does"
    required={['url']}
    fields={(field) => (
      <>
        <TextField
          field={field('url')}
          label="channels.webhook_url"
          inputMode="url"
          autoComplete="off"
          dir="ltr"
          spellCheck={false}
        />
        <EventsField field={field('events')} />
      </>
    )}
    send={async (typed, sending) => {
      const body = { url: typed('url'), events: eventsIn(typed), reason: typed('reason') || undefined };
      const { secret } = await sendRequest(addWebhook, { body, ...sending });
      done();
      return <ShownOnce secret={secret} />;
    }}
    close={close}
  />
);

/** The end of a day where the operator is. */
const endOf = (day: string): string => new Date(`${day}T23:59:59`).toISOString();

/** Adds a promo code for registrations. */
const AddPromoCode = ({ done, close }: DialogProps) => (
  <ActDialog
    label="console_promo.add"
    does="console_promo.add_does"
    required={['code']}
    fields={(field) => (
      <>
        <TextField field={field('code')} label="label.promo_code" autoComplete="off" dir="ltr" spellCheck={false} />
        <TextField field={field('uses')} label="console_promo.uses" optional inputMode="numeric" autoComplete="off" />
        <Field field={field('until')} label="console_promo.until" optional>
          <Input {...inputProps(field('until'))} type="date" autoComplete="off" />
        </Field>
      </>
    )}
    send={async (typed, sending) => {
      const [uses, until] = [typed('uses'), typed('until')];
      await sendRequest(addPromoCode, {
        body: {
          code: typed('code'),
          // A word is refused like 0.
          ...(uses && { uses: Number(uses) || 0 }),
          ...(until && { until: endOf(until) }),
          reason: typed('reason') || undefined,
        },
        ...sending,
      });
      done();
      return undefined;
    }}
    close={close}
  />
);

interface RetryAllProps extends DialogProps {
  endpoint: typeof retryEmails | typeof retryDeliveries;
}

/** Sends everything again that was given up or waits, such as after an outage. */
function RetryAll({ endpoint, done, close }: RetryAllProps) {
  const t = useText();
  return (
    <ActDialog
      label="console_service.retry_all"
      does="console_service.retry_all_does"
      send={async (typed, sending) => {
        const body = { ids: 'all' as const, reason: typed('reason') || undefined };
        const { retried } = await sendRequest(endpoint, { body, ...sending });
        if (retried.length === 0) throw new RequestFailure(0, { ownMessage: t('console_act.none_sent') });
        done();
        return undefined;
      }}
      close={close}
    />
  );
}

const again = { label: 'console_service.retry_all', role: 'support', needsActs: true } as const;

/** What can be done about a whole list, by the name of the list. */
export const listActs: Readonly<Record<string, ListAct>> = {
  receivers: { label: 'console_webhooks.add', role: 'owner', Dialog: AddReceiver },
  applications: { label: 'console_applications.add', role: 'owner', Dialog: AddApplication },
  'promo-codes': { label: 'console_promo.add', role: 'support', Dialog: AddPromoCode },
  emails: { ...again, Dialog: (props) => <RetryAll {...props} endpoint={retryEmails} /> },
  webhooks: { ...again, Dialog: (props) => <RetryAll {...props} endpoint={retryDeliveries} /> },
};
