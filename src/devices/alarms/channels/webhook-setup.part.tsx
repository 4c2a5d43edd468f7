import { useState } from 'react';
import { useForm } from '../../../browser/forms/form.ts';
import { Paragraph } from '../../../browser/language/text.tsx';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { FormButtons } from '../../../journeys/account/layout/rows.part.tsx';
import { Button } from '../../../ui/button.tsx';
import { Command } from '../../../ui/command.tsx';
import { FormProblems } from '../../../ui/feedback/form-problems.tsx';
import { TextField } from '../../../ui/fields/field.tsx';
import { FormStack, Stack } from '../../../ui/layouts/card.tsx';

interface WebhookSetupProps {
  /** Id of the channel's heading. */
  readonly heading: string;
  readonly isSet: boolean;
  /** Reads the channels again. */
  readonly read: () => void;
}

/** Takes a URL, also instead of another one, and shows the secret that verifies what it gets, once. */
export function WebhookSetup({ heading, isSet, read }: WebhookSetupProps) {
  const [isOpen, setOpen] = useState(false);
  const [secret, setSecret] = useState<string>();
  if (secret !== undefined) {
    return (
      <Stack tight>
        <Paragraph id="channels.webhook_secret" />
        <Command command={secret} purpose={heading} />
      </Stack>
    );
  }
  if (!isOpen) {
    return (
      <Button
        label={isSet ? 'channels.webhook_replace' : 'security.authenticator_add'}
        aria-describedby={heading}
        plain
        onClick={() => setOpen(true)}
      />
    );
  }
  return (
    <UrlForm
      close={() => setOpen(false)}
      done={(made) => {
        setSecret(made);
        read();
      }}
    />
  );
}

interface UrlFormProps {
  readonly close: () => void;
  readonly done: (secret: string) => void;
}

function UrlForm({ close, done }: UrlFormProps) {
  const form = useForm({
    contract: () => import('../incidents/incidents.contract.ts'),
    schema: ({ webhookForm }) => webhookForm,
    initial: { url: '' },
    async send({ setWebhook }, body, signal) {
      done((await sendRequest(setWebhook, { body, signal })).secret);
    },
  });
  return (
    <FormStack {...form.props}>
      <FormProblems form={form} labels={{ url: 'channels.webhook_url' }} />
      <TextField
        field={form.field('url')}
        label="channels.webhook_url"
        inputMode="url"
        autoComplete="off"
        dir="ltr"
        spellCheck={false}
      />
      <FormButtons form={form} label="account.save" cancel={close} />
    </FormStack>
  );
}
