import { useEffect, useEffectEvent, useState } from 'react';
import { useForm } from '../../../browser/forms/form.ts';
import { Paragraph, Text } from '../../../browser/language/text.tsx';
import { usePage } from '../../../browser/navigation/page.tsx';
import { useRequest } from '../../../browser/requests/request-status.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import type { ResponseBody } from '../../../contract/endpoint.ts';
import { phoneWorkerScope } from '../../../contract/pages.ts';
import { seconds } from '../../../contract/units.ts';
import { FormButtons } from '../../../journeys/account/layout/rows.part.tsx';
import { Button } from '../../../ui/button.tsx';
import { Command } from '../../../ui/command.tsx';
import { Failed, Notice } from '../../../ui/feedback/feedback.tsx';
import { FormProblems } from '../../../ui/feedback/form-problems.tsx';
import { TextField } from '../../../ui/fields/field.tsx';
import { FormStack, Stack } from '../../../ui/layouts/card.tsx';
import { isApple, isInstalled, phoneWorker } from '../../computers/phone/own-phone.part.ts';
import { forgetPush, keepPush, linkTelegram, readPush } from './channels.contract.ts';

interface TelegramSetupProps {
  /** Id of the channel's heading. */
  readonly heading: string;
  /** Reads the channels again: once the chat is connected, this disappears. */
  readonly read: () => void;
}

const looksEvery = seconds(3);

/** Makes a link to a chat with the bot, and waits until somebody has followed it. */
export function TelegramSetup({ heading, read }: TelegramSetupProps) {
  const [offer, setOffer] = useState<ResponseBody<typeof linkTelegram>>();
  const linking = useRequest(async (signal) => {
    setOffer(await sendRequest(linkTelegram, { signal }));
  });
  const look = useEffectEvent(() => (Date.now() < Date.parse(offer?.expires_at ?? '') ? read() : setOffer(undefined)));
  useEffect(() => {
    if (!offer) return;
    const timer = setInterval(look, looksEvery);
    return () => clearInterval(timer);
  }, [offer]);
  if (!offer) {
    return (
      <>
        <Button
          label="security.authenticator_add"
          aria-describedby={heading}
          plain
          busy={linking.state === 'pending' ? 'form.wait' : undefined}
          retry={linking.restart}
          onClick={() => void linking.start()}
        />
        <Failed failure={linking.error} />
      </>
    );
  }
  return (
    <Stack tight>
      <Paragraph id="channels.telegram_open" />
      <a href={offer.link} target="_blank" rel="noopener noreferrer">
        <Text id="channels.telegram_link" />
      </a>
    </Stack>
  );
}

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
    contract: () => import('./channels.contract.ts'),
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

/** Turns alarms in this browser on and off. Each visit renews the subscription, which its push service may have ended. */
export function PushHere({ changed }: { readonly changed: () => void }) {
  const { settings } = usePage();
  const [key, setKey] = useState<string | null>(null);
  /** The id of this browser, if it shows alarms. */
  const [id, setId] = useState<string>();
  const [isDenied, setDenied] = useState(false);
  const reading = useRequest(async (signal) => {
    const read = await sendRequest(readPush, { signal });
    setId(canPush() && read.key !== null ? await renewPush(read.key, signal) : undefined);
    setKey(read.key);
  });
  const turningOn = useRequest(async (signal) => {
    if (key === null) return;
    setDenied((await Notification.requestPermission()) !== 'granted');
    if (Notification.permission !== 'granted') return;
    setId(await subscribePush(key, signal));
    changed();
  });
  const turningOff = useRequest(async (signal) => {
    if (id !== undefined) await sendRequest(forgetPush, { params: { id }, signal });
    await endPush();
    setId(undefined);
    changed();
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, when the page appears
  useEffect(() => void reading.start(), []);

  const mustInstall = !canPush() && isApple() && !isInstalled() && navigator.maxTouchPoints > 1;
  if (key === null || !(canPush() || mustInstall)) return null;
  const busy = (request: { readonly state: string }) => (request.state === 'pending' ? 'form.wait' : undefined);
  return (
    <>
      {id === undefined && !mustInstall && (
        <Button
          label="security.authenticator_confirm"
          busy={busy(turningOn)}
          plain
          onClick={() => void turningOn.start()}
        />
      )}
      {id !== undefined && (
        <Button
          label="security.authenticator_remove"
          busy={busy(turningOff)}
          plain
          onClick={() => void turningOff.start()}
        />
      )}
      <p>
        {mustInstall ? (
          <Text id="computers_add.phone_apple" values={{ product: settings.productName }} />
        ) : (
          <Text id={id === undefined ? 'push.lead' : 'push.turned_on'} />
        )}
      </p>
      {isDenied && <Notice kind="danger" role="alert" text="push.denied" />}
      <Failed failure={turningOn.error ?? turningOff.error} />
    </>
  );
}

/** Apple's browsers can only as an app on the Home Screen. */
const canPush = (): boolean => 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;

const known = async () =>
  (await navigator.serviceWorker.getRegistration(phoneWorkerScope))?.pushManager.getSubscription();

/** Subscribes this browser, and returns its id. The user has allowed notices. */
async function subscribePush(key: string, signal: AbortSignal): Promise<string> {
  const { pushManager } = await phoneWorker();
  return keep(await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key }), signal);
}

/** Tells the server this browser's subscription. A lost one, or one for another key, becomes a new one. */
async function renewPush(key: string, signal: AbortSignal): Promise<string | undefined> {
  const subscription = await known();
  if (!subscription || Notification.permission !== 'granted') return undefined;
  const own = subscription.options.applicationServerKey;
  if (own && base64url(own) === key) return keep(subscription, signal);
  await subscription.unsubscribe();
  return subscribePush(key, signal);
}

async function endPush(): Promise<void> {
  await (await known())?.unsubscribe();
}

async function keep(subscription: PushSubscription, signal: AbortSignal): Promise<string> {
  const { endpoint, keys = {} } = subscription.toJSON();
  const { p256dh = '', auth = '' } = keys;
  return (await sendRequest(keepPush, { body: { endpoint: endpoint ?? '', p256dh, auth }, signal })).id;
}

const base64url = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
