import { browserStorage } from '../../../browser/platform/storage.ts';
import { trusted } from '../../../browser/platform/trusted.ts';
import { RequestFailure } from '../../../browser/requests/request-status.ts';
import { send } from '../../../browser/requests/send.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { phoneWorkerScope } from '../../../contract/pages.ts';
import { hours } from '../../../contract/units.ts';
import { enrol, leave } from '../device.contract.ts';
import type { OwnPhone } from './phone-changes.part.ts';

/** Undefined if this browser does not report. */
export function ownPhone(): OwnPhone | undefined {
  const { account, token, ...known } = browserStorage.readRecord('phone');
  return typeof account === 'string' && typeof token === 'string' ? { account, token, ...known } : undefined;
}

export const keepPhone = (phone: OwnPhone): void => browserStorage.write('phone', JSON.stringify(phone));

/** Adds this browser to an account with a code. */
export async function addOwnPhone({ account, code }: { account: string; code: string }, signal: AbortSignal) {
  const attempt = crypto.randomUUID();
  const added = {
    code,
    attempt,
    kind: 'smartphone',
    platform: isApple() ? 'ios' : 'android',
    name: await model(),
  } as const;
  const { device_token: token } = await sendRequest(enrol, { body: added, signal });
  keepPhone({ account, token });
  // Most systems do not allow it, and some browsers have no workers in private windows.
  await letSystemReport(token).catch(() => undefined);
}

/** Removes this phone from its account, unless its owner has done so on another device. */
export async function removeOwnPhone(): Promise<void> {
  const phone = ownPhone();
  try {
    if (phone) await send(leave, {}, phone.token);
  } catch (failure) {
    if (!(failure instanceof RequestFailure) || failure.code !== 'not_signed_in') throw failure;
  }
  await forgetOwnPhone();
}

export async function forgetOwnPhone(): Promise<void> {
  browserStorage.write('phone', undefined);
  await caches.delete(ofWorker);
}

/** An iPad claims to be a Mac, but no Mac has a touch screen. */
export const isApple = (): boolean => /iPhone|iPad|iPod|Mac/.test(navigator.userAgent);

/** Whether the page is open as an installed app. */
export const isInstalled = (): boolean => matchMedia('(display-mode: standalone)').matches;

interface Hints {
  getHighEntropyValues(names: string[]): Promise<{ model?: string }>;
}

/** A first name, which the owner can change. */
async function model(): Promise<string> {
  if (isApple()) return /iPhone/.exec(navigator.userAgent)?.[0] ?? 'iPad';
  const { userAgentData } = navigator as { userAgentData?: Hints };
  const hints = await userAgentData?.getHighEntropyValues(['model']).catch(() => undefined);
  return hints?.model || 'Android';
}

/** The cache that the worker reads, since workers have no other storage that is as simple. */
const ofWorker = 'phone';

interface PeriodicSync {
  register(tag: string, options: { minInterval: number }): Promise<void>;
}

/** Browsers allow it to installed apps that are used often. */
async function letSystemReport(token: string): Promise<void> {
  await (await caches.open(ofWorker)).put('/phone-token', new Response(token));
  const { periodicSync } = (await phoneWorker()) as { periodicSync?: PeriodicSync };
  await periodicSync?.register('report', { minInterval: hours(12) });
}

/** The worker once it works. It controls no page: none is in its scope. */
export async function phoneWorker(): Promise<ServiceWorkerRegistration> {
  const options = { scope: phoneWorkerScope, updateViaCache: 'none' } as const;
  const registration = await navigator.serviceWorker.register(trusted('/phone-worker.js'), options);
  const worker = registration.active ?? registration.waiting ?? registration.installing;
  // `navigator.serviceWorker.ready` is only for workers that control the page.
  while (worker && worker.state !== 'activated')
    await new Promise((changed) => worker.addEventListener('statechange', changed, { once: true }));
  return registration;
}
