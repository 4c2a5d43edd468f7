import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';
import type { Client, TestResponse } from './client.ts';

export type Algorithm = 'ES256' | 'EdDSA' | 'RS256';

/** The claims of an authenticator, or of the browser in front of it. Tests let it lie. */
export interface Claims {
  readonly origin: string;
  /** The domain whose hash is signed. */
  readonly rpId: string;
  readonly type: string;
  readonly challenge: string;
  readonly crossOrigin: unknown;
  readonly topOrigin: unknown;
  readonly present: boolean;
  readonly verified: boolean;
  readonly backupEligible: boolean;
  readonly backedUp: boolean;
  readonly counter: number;
  readonly userHandle: string | null;
  /** The id in the response; the signed one stays. */
  readonly id: string;
  readonly rawId: string;
  /** Appended to the signed data. */
  readonly trailing: Uint8Array;
  readonly signature: (signature: Buffer) => Buffer;
  readonly format: string;
  readonly statement: Map<string, unknown>;
  /** Replaces the COSE key. */
  readonly key: Map<number, unknown>;
  /** Changes the bytes of the attestation object. */
  readonly attestation: (bytes: Buffer) => Buffer;
}

interface CreationOptions {
  readonly rp: { readonly id: string };
  readonly user: { readonly id: string };
  readonly challenge: string;
}

interface UseOptions {
  readonly rpId: string;
  readonly challenge: string;
}

interface AuthenticatorOptions {
  readonly algorithm?: Algorithm;
  /** A model; all zeros unless given. */
  readonly aaguid?: string;
  /** Whether the passkey is synced by its provider. */
  readonly synced?: boolean;
  readonly origin?: string;
  /** The passkey has this id; random unless given. */
  readonly id?: string;
  /** Whether it counts its uses. */
  readonly counts?: boolean;
}

const encode = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');
const hash = (text: string | Uint8Array): Buffer => createHash('sha256').update(text).digest();

/** A software authenticator with one passkey, and the browser in front of it. */
export interface Authenticator {
  readonly id: string;
  readonly userHandle: string | null;
  /** How often the passkey was used; a copy of the authenticator has its own. */
  counter: number;
  /** The response of `navigator.credentials.create`, as JSON. */
  create(options: CreationOptions, claims?: Partial<Claims>): Record<string, unknown>;
  /** The response of `navigator.credentials.get`, as JSON. */
  use(options: UseOptions, claims?: Partial<Claims>): Record<string, unknown>;
}

const keyPairs = {
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: () => generateKeyPairSync('ed25519'),
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
} as const satisfies Record<Algorithm, () => { publicKey: KeyObject; privateKey: KeyObject }>;

/** The COSE form of a public key (RFC 9053, RFC 8230). */
function coseKey(publicKey: KeyObject): Map<number, unknown> {
  const jwk = publicKey.export({ format: 'jwk' }) as Record<string, string>;
  const bytes = (name: string) => new Uint8Array(Buffer.from(jwk[name] as string, 'base64url'));
  if (jwk.kty === 'EC')
    return new Map<number, unknown>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, bytes('x')],
      [-3, bytes('y')],
    ]);
  if (jwk.kty === 'OKP')
    return new Map<number, unknown>([
      [1, 1],
      [3, -8],
      [-1, 6],
      [-2, bytes('x')],
    ]);
  return new Map<number, unknown>([
    [1, 3],
    [3, -257],
    [-1, bytes('n')],
    [-2, bytes('e')],
  ]);
}

export function openAuthenticator({
  algorithm = 'ES256',
  aaguid = '00000000-0000-0000-0000-000000000000',
  synced = true,
  origin = 'https://door.example',
  id = encode(randomBytes(20)),
  counts = !synced,
}: AuthenticatorOptions = {}): Authenticator {
  const { publicKey, privateKey } = keyPairs[algorithm]();
  let userHandle: string | null = null;

  const clientData = (given: Partial<Claims>, usual: { type: string; challenge: string }): Buffer => {
    const { type, challenge, crossOrigin = false, topOrigin } = { ...usual, ...given };
    return Buffer.from(JSON.stringify({ type, challenge, origin: given.origin ?? origin, crossOrigin, topOrigin }));
  };

  function data(rpId: string, given: Partial<Claims>, attested?: Uint8Array): Buffer {
    const { present = true, verified = true, backupEligible = synced, backedUp = synced } = given;
    const flags = [present && 0x01, verified && 0x04, backupEligible && 0x08, backedUp && 0x10, attested && 0x40];
    const bytes = Buffer.alloc(37);
    hash(given.rpId ?? rpId).copy(bytes);
    bytes[32] = flags.reduce<number>((sum, flag) => sum + (flag || 0), 0);
    bytes.writeUInt32BE(given.counter ?? authenticator.counter, 33);
    return Buffer.concat([bytes, attested ?? Buffer.alloc(0), given.trailing ?? Buffer.alloc(0)]);
  }

  const named = (given: Partial<Claims>) => ({
    id: given.id ?? id,
    rawId: given.rawId ?? given.id ?? id,
    type: 'public-key',
    authenticatorAttachment: 'platform',
    clientExtensionResults: {},
  });

  const authenticator: Authenticator = {
    id,
    get userHandle() {
      return userHandle;
    },
    counter: 0,
    create({ rp, user, challenge }, given = {}) {
      userHandle = user.id;
      if (counts) authenticator.counter += 1;
      const credentialId = Buffer.from(id, 'base64url');
      const length = Buffer.alloc(2);
      length.writeUInt16BE(credentialId.length);
      const key = isoCBOR.encode((given.key ?? coseKey(publicKey)) as never);
      const model = Buffer.from(aaguid.replaceAll('-', ''), 'hex');
      const authData = data(rp.id, given, Buffer.concat([model, length, credentialId, key]));
      const object = new Map<string, unknown>([
        ['fmt', given.format ?? 'none'],
        ['attStmt', given.statement ?? new Map()],
        ['authData', new Uint8Array(authData)],
      ]);
      const bytes = Buffer.from(isoCBOR.encode(object as never));
      return {
        ...named(given),
        response: {
          clientDataJSON: encode(clientData(given, { type: 'webauthn.create', challenge })),
          attestationObject: encode(given.attestation?.(bytes) ?? bytes),
          transports: ['internal', 'hybrid'],
        },
      };
    },
    use({ rpId, challenge }, given = {}) {
      if (counts) authenticator.counter += 1;
      const client = clientData(given, { type: 'webauthn.get', challenge });
      const authData = data(rpId, given);
      const signed = Buffer.concat([authData, hash(client)]);
      const signature = sign(algorithm === 'EdDSA' ? null : 'sha256', signed, privateKey);
      return {
        ...named(given),
        response: {
          clientDataJSON: encode(client),
          authenticatorData: encode(authData),
          signature: encode(given.signature?.(signature) ?? signature),
          userHandle: given.userHandle === undefined ? userHandle : given.userHandle,
        },
      };
    },
  };
  return authenticator;
}

/** The tests of passkeys: requests as a page sends them. */

export async function creationOptions(browser: Client, body: object = {}): Promise<TestResponse['body']> {
  const response = await browser.post('/account/passkeys/challenge', body);
  if (response.status !== 200) throw new Error(`no options for a passkey: ${JSON.stringify(response.body)}`);
  return response.body;
}

/** Adds a passkey to the account that a browser is signed in to. */
export async function addPasskey(
  browser: Client,
  authenticator: Authenticator = openAuthenticator(),
  claims: Partial<Claims> = {},
): Promise<Authenticator> {
  const credential = authenticator.create(await creationOptions(browser), claims);
  const response = await browser.post('/account/passkeys', { credential });
  if (response.status !== 201) throw new Error(`the passkey was not added: ${JSON.stringify(response.body)}`);
  return authenticator;
}

export async function signInOptions(browser: Client): Promise<TestResponse['body']> {
  const response = await browser.post('/auth/passkeys/challenge');
  if (response.status !== 200) throw new Error(`no options for a sign-in: ${JSON.stringify(response.body)}`);
  return response.body;
}

/** Signs in with a passkey, in a browser that requests a challenge first. */
export async function signInWith(
  browser: Client,
  authenticator: Authenticator,
  claims: Partial<Claims> = {},
): Promise<TestResponse> {
  const credential = authenticator.use(await signInOptions(browser), claims);
  return browser.post('/auth/passkeys/login', { credential });
}

export const change = (browser: Client, method: 'DELETE' | 'PATCH', path: string, body?: unknown) =>
  browser.send(method, path, { body });
