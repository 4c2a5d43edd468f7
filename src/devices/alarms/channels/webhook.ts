import { randomBytes } from 'node:crypto';
import { keepStep, repeatedStep } from '../../../access/once.ts';
import { refuseField } from '../../../contract/failures.ts';
import { iso, isoOrNull, seconds } from '../../../contract/units.ts';
import type { Service } from '../../../server/service.ts';
import type { Owner } from '../../../store/access/session-owner.ts';
import type { StoreTransaction } from '../../../store/database.ts';
import { channelsOf, setChannel } from '../../store/alarm-messages.ts';
import type { AlarmChannel, AlarmMessage, ChannelService, Sending } from './channel.ts';
import * as contract from './channels.contract.ts';
import { describeMessage } from './words.ts';

interface WebhookTarget {
  readonly url: string;
  /** Sealed. */
  readonly secret: string;
}

/** Signed requests to a URL of the owner, whose host the page shows: the rest may be a secret. */
export const webhook: AlarmChannel = {
  name: 'webhook',
  room: 8,
  recipient: ({ target }) => (target === '' ? undefined : new URL((JSON.parse(target) as WebhookTarget).url).host),
  send: post,
};

async function post(service: ChannelService, message: AlarmMessage, signal: AbortSignal): Promise<Sending> {
  const { messengers, secrets, now } = service;
  const { url, secret } = JSON.parse(message.target) as WebhookTarget;
  const body = JSON.stringify(await bodyOf(service, message));
  const signable = { id: message.id, at: now(), body, secrets: [secrets.open(secret)] };
  const outcome = await messengers.webhook(new URL(url), signable, signal);
  const { said } = outcome;
  if (outcome.state === 'accepted') return { state: 'sent', said };
  if (outcome.state === 'later') return { state: 'later', after: seconds(outcome.retryAfter), error: said };
  return { state: 'failed', error: said, ...(outcome.state === 'gone' && { gone: true as const }) };
}

async function bodyOf(service: ChannelService, message: AlarmMessage) {
  const { title, lines, path } = await describeMessage(service, message);
  return {
    type: `alarm.${message.event}`,
    timestamp: iso(message.at),
    data: {
      title: withoutIsolates(title),
      lines: lines.map(withoutIsolates),
      link: `${service.config.PUBLIC_URL}${path}`,
      incident: message.report ? describe(message.report) : null,
    },
  };
}

/** Only people read texts in two directions. */
const withoutIsolates = (text: string) => text.replace(/[\u2066-\u2069]/g, '');

function describe({ incident, counts, members }: NonNullable<AlarmMessage['report']>) {
  const { id, kind, began_at, ended_at, acknowledged_at, unstable, tag, address } = incident;
  return {
    ...{ id, kind, tag, address },
    began_at: iso(began_at),
    ended_at: isoOrNull(ended_at),
    acknowledged_at: isoOrNull(acknowledged_at),
    unstable: unstable === 1,
    devices: counts.total,
    open: counts.open,
    /** The first ten. */
    members: members.map(({ computer_id, name, since, back_at, end_value }) => ({
      ...{ id: computer_id, name, end_value },
      since: iso(since),
      back_at: isoOrNull(back_at),
    })),
  };
}

/** Bits of a secret, as Standard Webhooks 1.0.0 recommends. */
const secretBytes = 32;

/**
 * Sends alarms to a URL from now on. Returns the secret that verifies them, which nobody can read later: the same for two
 * requests of a session within a minute, otherwise a page could show one that the other request replaced.
 */
export async function setWebhook(
  { messengers, secrets }: Pick<Service, 'messengers' | 'secrets'>,
  trx: StoreTransaction,
  { accountId, sessionId, at, url }: Pick<Owner, 'accountId' | 'sessionId' | 'at'> & { readonly url: string },
): Promise<string> {
  const parsed = URL.parse(url);
  if (!parsed || !messengers.reach.allows(parsed))
    throw refuseField(contract.setWebhook, { field: 'url', code: 'url_invalid' });
  parsed.hash = '';
  const secret = randomBytes(secretBytes);
  const known = (await channelsOf(trx, accountId)).find(({ channel }) => channel === 'webhook');
  const step = { name: 'set_alarm_webhook', browser: sessionId, request: parsed.href };
  const before = await repeatedStep<WebhookTarget>({ secrets }, trx, { step, now: at });
  if (before && known?.target === JSON.stringify(before)) return writeSecret(secrets.open(before.secret));
  const target: WebhookTarget = { url: parsed.href, secret: secrets.seal(secret) };
  await setChannel(trx, {
    ...{ account_id: accountId, channel: 'webhook', after_minutes: known?.after_minutes ?? 0 },
    ...{ target: JSON.stringify(target), set_at: at, broken: null, broken_at: null },
  });
  await keepStep({ secrets }, trx, { step, accountId, result: target, at });
  return writeSecret(secret);
}

const writeSecret = (secret: Buffer) => `whsec_${secret.toString('base64')}`;
