import * as z from 'zod/mini';

/** The JSON forms of WebAuthn Level 3, section 5.1.8 to 5.1.10. All binary values are base64url without padding. */

/** Bounds what a client can make the server decode; real credentials need less than half. */
const base64url = (most: number) =>
  z
    .string({ error: 'not_understood' })
    .check(z.regex(/^[\w-]*$/, 'not_understood'), z.maxLength(most, 'not_understood'));
const credentialId = base64url(1400).check(z.minLength(1, 'not_understood'));
const transports = z.catch(z.optional(z.array(z.string().check(z.maxLength(30))).check(z.maxLength(10))), undefined);
const extensions = z.catch(z.record(z.string(), z.unknown()), {});
const attachment = z.catch(z.optional(z.enum(['platform', 'cross-platform'])), undefined);

const common = {
  id: credentialId,
  rawId: credentialId,
  type: z.literal('public-key', { error: 'not_understood' }),
  authenticatorAttachment: attachment,
  clientExtensionResults: extensions,
};

/** `RegistrationResponseJSON`: a new passkey. */
export const createdPasskey = z.object(
  {
    ...common,
    response: z.object(
      {
        clientDataJSON: base64url(4000),
        attestationObject: base64url(20_000),
        transports,
      },
      { error: 'not_understood' },
    ),
  },
  { error: 'not_understood' },
);

/** `AuthenticationResponseJSON`: the proof of a passkey. */
export const usedPasskey = z.object(
  {
    ...common,
    response: z.object(
      {
        clientDataJSON: base64url(4000),
        authenticatorData: base64url(4000),
        signature: base64url(4000),
        userHandle: z.optional(z.nullable(base64url(200))),
      },
      { error: 'not_understood' },
    ),
  },
  { error: 'not_understood' },
);

const descriptor = z.object({
  id: z.string(),
  type: z.literal('public-key'),
  transports: z.optional(z.array(z.string())),
});

/** `PublicKeyCredentialRequestOptionsJSON`. */
export const requestOptions = z.object({
  challenge: z.string(),
  /** Milliseconds. */
  timeout: z.number(),
  rpId: z.string(),
  userVerification: z.literal('required'),
  /** Absent where the browser offers every passkey of this site. */
  allowCredentials: z.optional(z.array(descriptor)),
});

/** `PublicKeyCredentialCreationOptionsJSON`. */
export const creationOptions = z.object({
  rp: z.object({ id: z.string(), name: z.string() }),
  user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
  challenge: z.string(),
  pubKeyCredParams: z.array(z.object({ type: z.literal('public-key'), alg: z.number() })),
  /** Milliseconds. */
  timeout: z.number(),
  excludeCredentials: z.array(descriptor),
  authenticatorSelection: z.object({
    residentKey: z.literal('required'),
    requireResidentKey: z.literal(true),
    userVerification: z.literal('required'),
  }),
  attestation: z.literal('none'),
});
