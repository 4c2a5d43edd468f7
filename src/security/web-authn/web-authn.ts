import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';

/** COSE algorithms that we offer, in our order: EdDSA, ES256, RS256. */
export const passkeyAlgorithms = [-8, -7, -257] as const;

/** Why a WebAuthn response is not valid; the reason is only for the log. */
export class InvalidCredential extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.name = 'InvalidCredential';
  }
}

/** Where a response may come from. */
export interface RelyingParty {
  readonly id: string;
  readonly origins: readonly string[];
}

/** Loaded with the first passkey: the packages take 0.2 s and some megabytes. */
const library = () => import('@simplewebauthn/server');
const libraryHelpers = () => import('@simplewebauthn/server/helpers');

type ClientData = Readonly<Record<'challenge' | 'crossOrigin' | 'topOrigin', unknown>>;

function readClientData(text: string): ClientData {
  try {
    const data: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (typeof data === 'object' && data !== null) return data as ClientData;
  } catch (cause) {
    throw new InvalidCredential('clientDataJSON is not JSON', { cause });
  }
  throw new InvalidCredential('clientDataJSON is not an object');
}

/** The challenge that a response claims to respond to. Throws `InvalidCredential`. */
export function challengeIn({ response }: { readonly response: { readonly clientDataJSON: string } }): string {
  const { challenge } = readClientData(response.clientDataJSON);
  if (typeof challenge !== 'string' || !/^[\w-]{43}$/.test(challenge))
    throw new InvalidCredential('no challenge of ours');
  return challenge;
}

/** No page of ours is in a frame, and the library accepts frames if the browser does not name the top origin. */
function refuseFrames({ response }: { readonly response: { readonly clientDataJSON: string } }): void {
  const { crossOrigin, topOrigin } = readClientData(response.clientDataJSON);
  if ((crossOrigin ?? false) !== false || (topOrigin ?? null) !== null)
    throw new InvalidCredential('the response comes from a frame');
}

/** The library throws plain errors for everything that is wrong. */
const asInvalid = (error: unknown): never => {
  throw error instanceof InvalidCredential ? error : new InvalidCredential((error as Error).message, { cause: error });
};

interface Verification {
  readonly challenge: string;
  readonly relyingParty: RelyingParty;
}

export interface CreatedCredential {
  /** Base64url, as the public key. */
  readonly id: string;
  readonly publicKey: string;
  readonly algorithm: number;
  readonly aaguid: string;
  readonly counter: number;
  readonly backupEligible: boolean;
  readonly backedUp: boolean;
}

/** A response as the contract parses it. */
type Json<Response extends { readonly response: object }> = Omit<
  Response,
  'response' | 'authenticatorAttachment' | 'clientExtensionResults'
> & { readonly response: object };

/**
 * Verifies a new credential (WebAuthn Level 3, section 7.1). `automatic`: the browser created it without a prompt, so
 * its user need not have been there. Throws `InvalidCredential`.
 */
export async function verifyCreation(
  credential: Json<RegistrationResponseJSON>,
  { challenge, relyingParty, automatic }: Verification & { readonly automatic: boolean },
): Promise<CreatedCredential> {
  try {
    refuseFrames(credential as RegistrationResponseJSON);
    const { response: attested, ...response } = credential as RegistrationResponseJSON;
    const { decodeCredentialPublicKey } = await libraryHelpers();
    const { verifyRegistrationResponse } = await library();
    const attestationObject = await withoutStatement(attested.attestationObject);
    const { registrationInfo: made } = await verifyRegistrationResponse({
      response: { ...response, response: { ...attested, attestationObject } },
      expectedChallenge: challenge,
      expectedOrigin: [...relyingParty.origins],
      expectedRPID: relyingParty.id,
      requireUserPresence: !automatic,
      requireUserVerification: !automatic,
      supportedAlgorithmIDs: [...passkeyAlgorithms],
    });
    if (!made) throw new InvalidCredential('the attestation is not valid');
    // The library compares `id` only with `rawId`, which the client also chooses.
    if (made.credential.id !== response.id) throw new InvalidCredential('the ids differ');
    const bytes = Buffer.from(made.credential.id, 'base64url').length;
    if (bytes === 0 || bytes > maxIdBytes) throw new InvalidCredential('the id has a wrong length');
    const key = decodeCredentialPublicKey(made.credential.publicKey) as unknown as ReadonlyMap<number, unknown>;
    if (!isUsableKey(key)) throw new InvalidCredential('the public key does not fit its algorithm');
    return {
      id: made.credential.id,
      publicKey: Buffer.from(made.credential.publicKey).toString('base64url'),
      algorithm: key.get(3) as number,
      aaguid: made.aaguid,
      counter: made.credential.counter,
      backupEligible: made.credentialDeviceType === 'multiDevice',
      backedUp: made.credentialBackedUp,
    };
  } catch (error) {
    return asInvalid(error);
  }
}

/** WebAuthn Level 3, section 7.1, step 26. */
const maxIdBytes = 1023;

/**
 * The attestation object without its statement. We request none, so it proves nothing that we rely on; some
 * authenticators send one anyway, and the library would check it against certificates, and fetch the lists of revoked
 * ones from addresses in them.
 */
async function withoutStatement(attestationObject: string): Promise<string> {
  const { decodeAttestationObject, isoCBOR } = await libraryHelpers();
  const bytes = new Uint8Array(Buffer.from(attestationObject, 'base64url'));
  const decoded = decodeAttestationObject(bytes);
  if (!(decoded instanceof Map)) throw new InvalidCredential('the attestation is not a map');
  // The library ignores what follows the map.
  if (isoCBOR.encode(decoded as never).length !== bytes.length)
    throw new InvalidCredential('bytes follow the attestation');
  const authData: unknown = decoded.get('authData');
  if (!(authData instanceof Uint8Array)) throw new InvalidCredential('the attestation has no authenticator data');
  const stated = new Map<string, unknown>([
    ['fmt', 'none'],
    ['attStmt', new Map()],
    ['authData', authData],
  ]);
  return Buffer.from(isoCBOR.encode(stated as never)).toString('base64url');
}

/** A COSE key of another service in our form; undefined if we could not verify signatures of it. */
export async function readPublicKey(bytes: Buffer): Promise<{ public_key: string; algorithm: number } | undefined> {
  const { decodeCredentialPublicKey } = await libraryHelpers();
  try {
    const key = decodeCredentialPublicKey(new Uint8Array(bytes)) as unknown as ReadonlyMap<number, unknown>;
    if (!isUsableKey(key)) return undefined;
    return { public_key: bytes.toString('base64url'), algorithm: key.get(algorithm) as number };
  } catch {
    return undefined;
  }
}

interface KnownCredential {
  readonly id: string;
  /** Base64url. */
  readonly publicKey: string;
  /** Base64url; null for an account without one. */
  readonly userHandle: string | null;
}

export interface UsedCredential {
  readonly counter: number;
  readonly backupEligible: boolean;
  readonly backedUp: boolean;
}

/**
 * Verifies a use of a known credential by its verified user (WebAuthn Level 3, section 7.2), except for its counter and
 * its backup eligibility, which the caller judges (docs/decisions/accounts.md, 0050). Throws
 * `InvalidCredential`.
 */
export async function verifyUse(
  credential: Json<AuthenticationResponseJSON>,
  { challenge, relyingParty, known }: Verification & { readonly known: KnownCredential },
): Promise<UsedCredential> {
  try {
    const response = credential as AuthenticationResponseJSON;
    refuseFrames(response);
    const { userHandle } = response.response;
    if (userHandle && userHandle !== known.userHandle) throw new InvalidCredential('the user handle is another one');
    const { verifyAuthenticationResponse } = await library();
    const { verified, authenticationInfo: used } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: [...relyingParty.origins],
      expectedRPID: relyingParty.id,
      requireUserVerification: true,
      // The caller judges the counter: the library would refuse a synced passkey whose devices count separately.
      credential: { id: known.id, publicKey: new Uint8Array(Buffer.from(known.publicKey, 'base64url')), counter: 0 },
    });
    if (!verified) throw new InvalidCredential('the signature is wrong');
    return {
      counter: used.newCounter,
      backupEligible: used.credentialDeviceType === 'multiDevice',
      backedUp: used.credentialBackedUp,
    };
  } catch (error) {
    return asInvalid(error);
  }
}

/** Labels of COSE keys (RFC 9052, section 7; RFC 9053; RFC 8230). */
const [keyType, algorithm, curve, first, second] = [1, 3, -1, -2, -3];
const [octetKeyPair, ellipticCurve, rsa] = [1, 2, 3];
const [p256, ed25519] = [1, 6];
/** Bytes of an RSA modulus: 2048 to 4096 bits. A larger one would make every verification slow. */
const [leastModulus, maxModulus] = [256, 512];
const maxExponent = 4;

const hasBytes = (value: unknown, least: number, max = least): boolean =>
  value instanceof Uint8Array && value.length >= least && value.length <= max;

/** Whether a COSE key has the type, curve and sizes that its algorithm requires. */
function isUsableKey(key: ReadonlyMap<number, unknown>): boolean {
  const [type, x, y] = [key.get(keyType), key.get(first), key.get(second)];
  switch (key.get(algorithm)) {
    case -7:
      return type === ellipticCurve && key.get(curve) === p256 && hasBytes(x, 32) && hasBytes(y, 32);
    case -8:
      return type === octetKeyPair && key.get(curve) === ed25519 && hasBytes(x, 32);
    case -257:
      // For RSA, the labels -1 and -2 are the modulus and the exponent.
      return type === rsa && hasBytes(key.get(curve), leastModulus, maxModulus) && hasBytes(x, 1, maxExponent);
    default:
      return false;
  }
}
