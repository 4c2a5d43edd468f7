import { createHash, randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import { SettingsError } from '../contract/settings.ts';
import { eventTypes, isReceiverUrl, maxReceivers } from '../contract/webhook-events.ts';
import { readSettingsFile } from '../runtime/settings-file.ts';
import type { Store } from '../store/database.ts';
import type { Subscription } from '../store/webhooks/record-event.ts';
import { listStoredReceivers } from '../store/webhooks/stored-receivers.ts';

/** Another application that gets events. */
export interface Receiver extends Subscription {
  readonly url: URL;
  /** Keys of the signatures: two while the receiver changes its secret. */
  readonly secrets: readonly Buffer[];
  /** It changes only in WEBHOOKS_FILE. */
  readonly isFromFile: boolean;
}

/** Identifies a receiver in the database, without the secrets that a URL may contain. */
export const receiverId = (address: string): string =>
  createHash('sha256').update(hrefOf(address)).digest('hex').slice(0, 16);

const hrefOf = (address: string): string => URL.parse(address)?.href ?? address;

/** Before the base64 of a secret, as Standard Webhooks 1.0.0 writes it. */
const secretPrefix = 'whsec_';
const newSecretBytes = 32;

export const newSecret = (): string => secretPrefix + randomBytes(newSecretBytes).toString('base64');

const keyIn = (secret: string): Buffer => Buffer.from(secret.slice(secretPrefix.length), 'base64');

/** What a stored receiver has sealed, the newest secret first. */
export interface ReceiverTarget {
  readonly url: string;
  readonly secrets: readonly string[];
}

/** Seals with the operator's secret (`security/macs.ts`). */
export interface Sealing {
  seal(secret: Buffer): string;
  open(sealed: string): Buffer;
}

export const sealTarget = ({ seal }: Sealing, target: ReceiverTarget): string =>
  seal(Buffer.from(JSON.stringify(target)));

export const openTarget = ({ open }: Sealing, sealed: string): ReceiverTarget =>
  JSON.parse(open(sealed).toString()) as ReceiverTarget;

interface Configured {
  readonly store: Store;
  readonly secrets: Sealing;
  readonly fromFile: readonly Receiver[];
}

/** The receivers in WEBHOOKS_FILE and those that operators added, of which the file replaces one with the same URL. */
export async function readAllReceivers({ store, secrets, fromFile }: Configured): Promise<readonly Receiver[]> {
  const stored = (await listStoredReceivers(store)).filter(({ id }) => !fromFile.some((one) => one.id === id));
  return [
    ...fromFile,
    ...stored.map(({ id, events, target }) => {
      const { url, secrets: keys } = openTarget(secrets, target);
      return { id, events, url: new URL(url), secrets: keys.map(keyIn), isFromFile: false };
    }),
  ];
}

/** In bytes, as Standard Webhooks 1.0.0 requires. */
const secretSize = { least: 24, max: 64 };

const secret = z.string('must be text that begins with whsec_').check(
  z.refine((value) => {
    const text = value.startsWith(secretPrefix) ? value.slice(secretPrefix.length) : '';
    const bytes = Buffer.from(text, 'base64');
    const isBase64 = bytes.toString('base64').replaceAll('=', '') === text.replaceAll('=', '');
    return isBase64 && bytes.length >= secretSize.least && bytes.length <= secretSize.max;
  }, 'must be whsec_ and the base64 of 24 to 64 random bytes'),
);

const url = z
  .string('must be a URL')
  .check(
    z.refine(isReceiverUrl, 'must be an https:// URL, or http:// of this machine, without a user name and without a #'),
  );

const receiver = z.strictObject(
  {
    url,
    secret: z.union([secret, z.array(secret).check(z.minLength(1), z.maxLength(2))], {
      error: 'must be whsec_ and the base64 of 24 to 64 random bytes, or a list of two such secrets during a change',
    }),
    events: z
      .array(z.enum(eventTypes, { error: `must be some of ${eventTypes.join(', ')}` }), 'must be a list of event types')
      .check(z.minLength(1, 'must list at least one event type')),
  },
  {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `has unknown keys: ${issue.keys.join(', ')}`
        : 'must have url, secret and events',
  },
);

const receiversFile = z.array(receiver, 'must be a list of receivers').check(
  z.maxLength(maxReceivers, `must list at most ${maxReceivers} receivers`),
  z.refine((all) => new Set(all.map((one) => hrefOf(one.url))).size === all.length, 'must list each URL once'),
);

/** Reads the receivers of webhooks. Throws a `SettingsError` that names every entry that is unusable. */
export function readReceivers(file: string | undefined): readonly Receiver[] {
  if (file === undefined) return [];
  const { data, error } = receiversFile.safeParse(readSettingsFile('WEBHOOKS_FILE', file));
  if (error) {
    const lines = error.issues.map(({ path, message }) => `WEBHOOKS_FILE: ${file} ${placeOf(path)}${message}`);
    throw new SettingsError(lines);
  }
  return data.map((one) => ({
    id: receiverId(one.url),
    url: new URL(one.url),
    secrets: [one.secret].flat().map(keyIn),
    events: [...new Set(one.events)],
    isFromFile: true,
  }));
}

function placeOf([index, ...rest]: readonly PropertyKey[]): string {
  if (index === undefined) return '';
  return [`receiver ${Number(index) + 1}:`, ...rest.slice(0, 1).map(String), ''].join(' ');
}
