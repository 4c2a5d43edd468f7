import { sendRequest } from '../../browser/requests/send-request.ts';
import { phoneWorkerScope } from '../../contract/pages.ts';
import { phoneWorker } from '../computers/phone/own-phone.part.ts';
import { keepPush } from './push.contract.ts';

/** Apple's browsers can only as an app on the Home Screen. */
export const canPush = (): boolean =>
  'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;

const known = async () =>
  (await navigator.serviceWorker.getRegistration(phoneWorkerScope))?.pushManager.getSubscription();

/** Subscribes this browser, and returns its id. The user has allowed notices. */
export async function subscribePush(key: string, signal: AbortSignal): Promise<string> {
  const { pushManager } = await phoneWorker();
  return keep(await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key }), signal);
}

/** Tells the server this browser's subscription. A lost one, or one for another key, becomes a new one. */
export async function renewPush(key: string, signal: AbortSignal): Promise<string | undefined> {
  const subscription = await known();
  if (!subscription || Notification.permission !== 'granted') return undefined;
  const own = subscription.options.applicationServerKey;
  if (own && base64url(own) === key) return keep(subscription, signal);
  await subscription.unsubscribe();
  return subscribePush(key, signal);
}

export async function endPush(): Promise<void> {
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
