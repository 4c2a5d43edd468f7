import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { SettingsError } from '../../contract/settings-error.ts';

/** The key that signs emails (RFC 6376), for the sender's domain. */
export interface Dkim {
  readonly keySelector: string;
  /** PEM. */
  readonly privateKey: string;
  /** The TXT record of `SELECTOR._domainkey.DOMAIN`. */
  readonly record: string;
}

interface DkimSettings {
  /** A PEM, or the path of a file with one. */
  readonly DKIM_KEY?: string | undefined;
  readonly DKIM_SELECTOR?: string | undefined;
}

/** Receivers reject shorter keys (RFC 8301, section 3.2). */
const leastBits = 1024;

/** Reads the key; undefined if we do not sign. Throws a `SettingsError`. */
export function readDkim({ DKIM_KEY, DKIM_SELECTOR }: DkimSettings): Dkim | undefined {
  if (DKIM_KEY === undefined && DKIM_SELECTOR === undefined) return undefined;
  if (DKIM_KEY === undefined) throw new SettingsError(['DKIM_KEY: must be set, because DKIM_SELECTOR is']);
  if (DKIM_SELECTOR === undefined) throw new SettingsError(['DKIM_SELECTOR: must be set, because DKIM_KEY is']);
  const key = readKey(DKIM_KEY);
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  if (key.asymmetricKeyType !== 'rsa' || bits < leastBits)
    throw new SettingsError([`DKIM_KEY: must be an RSA key of at least ${leastBits} bits`]);
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64');
  return {
    keySelector: DKIM_SELECTOR,
    privateKey: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
    record: `v=DKIM1; k=rsa; p=${publicKey}`,
  };
}

function readKey(given: string): KeyObject {
  const key = keyOf(given);
  if (key) return key;
  throw new SettingsError([
    'DKIM_KEY: must be a private key in PEM without a passphrase, or the path of a file that holds one',
  ]);
}

/** Undefined if there is no key. The cause is dropped, since it may quote the key. */
function keyOf(given: string): KeyObject | undefined {
  try {
    // A line of a settings file cannot contain line breaks, so they may be written as \n.
    const isPem = given.startsWith('-----BEGIN');
    return createPrivateKey(isPem ? given.replaceAll('\\n', '\n') : readFileSync(given));
  } catch {
    return undefined;
  }
}
