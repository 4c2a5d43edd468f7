import { useId } from 'react';
import { Text } from '../../../../browser/language/text.tsx';
import { sendRequest } from '../../../../browser/requests/send-request.ts';
import { eventTypes } from '../../../../contract/webhook-events.ts';
import { FieldError, TextField } from '../../../../ui/fields/field.tsx';
import { addWebhook } from '../../webhooks.contract.ts';
import { ActDialog, type FieldOf } from '../layout/act-dialog.part.tsx';
import { ShownOnce } from '../layout/shown-once.part.tsx';
import css from './add-receiver.module.css';

interface AddReceiverProps {
  /** Called once it is added. */
  done: () => void;
  close: () => void;
}

/** The dialog that adds an application which gets events, and shows its secret once. */
export const AddReceiver = ({ done, close }: AddReceiverProps) => (
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
        <Events field={field} />
      </>
    )}
    send={async (typed, sending) => {
      const events = eventTypes.filter((type) => typed(type) !== '');
      const body = { url: typed('url'), events, reason: typed('reason') || undefined };
      const { secret } = await sendRequest(addWebhook, { body, ...sending });
      done();
      return <ShownOnce secret={secret} />;
    }}
    close={close}
  />
);

function Events({ field }: { field: FieldOf }) {
  const legend = useId();
  const events = field('events');
  return (
    <fieldset className={css.events} aria-labelledby={legend} aria-describedby={events.error && `${events.id}-error`}>
      <p id={legend} className={css.legend}>
        <Text id="console_webhooks.events" />
      </p>
      {eventTypes.map((type) => (
        <label key={type} className={css.event}>
          <input type="checkbox" name={type} />
          <bdi dir="ltr" translate="no">
            {type}
          </bdi>
        </label>
      ))}
      <FieldError field={events} />
    </fieldset>
  );
}
