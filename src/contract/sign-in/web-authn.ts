import * as z from 'zod/mini';
import { named } from '../endpoint.ts';
import type { FieldCode } from '../failures.ts';

/** The JSON forms of WebAuthn Level 3, section 5.1.8 to 5.1.10. All binary values are base64url without padding. */

/** No form has these fields, so one code covers every error in them. */
const error = 'not_understood' satisfies FieldCode;

/** Bounds what a client can make the server decode; real credentials need less than half. */
const base64url = (max: number) => z.string({ error }).check(z.maxLength(max, error), z.regex(/^[\w-]*$/, error));
/** The id of a credential: at most 1023 bytes. */
export const credentialId = base64url(1364).check(z.minLength(1, error));
const transports = z.catch(z.optional(z.array(z.string().check(z.maxLength(30))).check(z.maxLength(10))), undefined);
const extensions = z.catch(z.record(z.string(), z.unknown()), {});
const attachment = z.catch(z.optional(z.enum(['platform', 'cross-platform'])), undefined);

const common = {
  id: credentialId,
  rawId: credentialId,
  type: z.literal('public-key', { error }),
  authenticatorAttachment: attachment,
  clientExtensionResults: extensions,
};

/** `RegistrationResponseJSON`: a new passkey. */
export const createdPasskey = named(
  'CreatedPasskey',
  z.object(
    {
      ...common,
      response: z.object(
        { clientDataJSON: base64url(4000), attestationObject: base64url(20_000), transports },
        { error },
      ),
    },
    { error },
  ),
);

/** `AuthenticationResponseJSON`: the proof of a passkey. */
export const usedPasskey = named(
  'UsedPasskey',
  z.object(
    {
      ...common,
      response: z.object(
        {
          clientDataJSON: base64url(4000),
          authenticatorData: base64url(4000),
          signature: base64url(4000),
          userHandle: z.optional(z.nullable(base64url(200))),
        },
        { error },
      ),
    },
    { error },
  ),
);

const descriptor = named(
  'PasskeyDescriptor',
  z.object({
    id: z.string(),
    type: z.literal('public-key'),
    transports: z.optional(z.array(z.string())),
  }),
);

/** `PublicKeyCredentialRequestOptionsJSON`. */
export const requestOptions = named(
  'PasskeyRequestOptions',
  z.object({
    challenge: z.string(),
    timeout: z.number(),
    rpId: z.string(),
    userVerification: z.literal('required'),
    /** Absent where the browser offers every passkey of this site. */
    allowCredentials: z.optional(z.array(descriptor)),
  }),
);

/** `PublicKeyCredentialCreationOptionsJSON`. */
export const creationOptions = named(
  'PasskeyCreationOptions',
  z.object({
    rp: z.object({ id: z.string(), name: z.string() }),
    user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
    challenge: z.string(),
    pubKeyCredParams: z.array(z.object({ type: z.literal('public-key'), alg: z.number() })),
    timeout: z.number(),
    excludeCredentials: z.array(descriptor),
    authenticatorSelection: z.object({
      residentKey: z.literal('required'),
      requireResidentKey: z.literal(true),
      /** `preferred` for an automatic creation, which has no prompt. */
      userVerification: z.enum(['required', 'preferred']),
    }),
    attestation: z.literal('none'),
  }),
);

/** The passkeys of an account in its export, without their public keys, which are useless to readers. */
export const exportedPasskeys = z.array(
  z.object({
    id: z.string(),
    name: z.string(),
    provider: z.nullable(z.string()),
    synced: z.boolean(),
    uses_counted: z.number(),
    created_at: z.string(),
    last_used_at: z.nullable(z.string()),
  }),
);
