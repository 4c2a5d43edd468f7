import { createHash, randomBytes } from 'node:crypto';
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

export const hrefOf = (address: string): string => URL.parse(address)?.href ?? address;

/** Before the base64 of a secret, as Standard Webhooks 1.0.0 writes it. */
export const secretPrefix = 'whsec_';
const newSecretBytes = 32;

export const newSecret = (): string => secretPrefix + randomBytes(newSecretBytes).toString('base64');

export const keyIn = (secret: string): Buffer => Buffer.from(secret.slice(secretPrefix.length), 'base64');

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
