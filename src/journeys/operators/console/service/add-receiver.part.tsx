import { sendRequest } from '../../../../browser/requests/send-request.ts';
import { TextField } from '../../../../ui/fields/field.tsx';
import { addWebhook } from '../../webhooks.contract.ts';
import { ActDialog } from '../layout/act-dialog.part.tsx';
import { ShownOnce } from '../layout/shown-once.part.tsx';
import { EventsField, eventsIn } from './events-field.part.tsx';

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
