import { randomInt } from 'node:crypto';
import type { Browser } from '../../access/admit.ts';
import { admit, admitOnce } from '../../access/admit.ts';
import type { Keep } from '../../access/once.ts';
import { refuse } from '../../contract/failures.ts';
import { mailCodeDigits } from '../../contract/fields/field-sizes.ts';
import type { LanguageCode } from '../../contract/languages.ts';
import type { AdmissionResult } from '../../contract/sign-in/admission.ts';
import { enqueueEmail } from '../../outbox/enqueue-email.ts';
import { isMacOfCode, macOfCode, randomSecret, sha256 } from '../../security/macs.ts';
import type { Service } from '../../server/service.ts';
import { knownDeviceOf } from '../../store/access/devices.ts';
import { attemptSucceeded, lockoutOfAddress } from '../../store/access/lockouts.ts';
import { mailCodeLifetime, mailCodes, takeMailCodeTries } from '../../store/access/sign-in-codes.ts';
import { emailKey, findAccountByEmail, lockAndFindAccount } from '../../store/accounts/accounts.ts';
import { deviceName } from '../../store/browser-names.ts';
import { emailRateLimits, requesterRateLimits } from '../../store/emails/email-rate-limits.ts';
import { countRequestInTransaction } from '../../store/rate-limits.ts';
import type { Visitor } from '../../store/visitor.ts';
import { loginByCode } from './sign-in-by-code.contract.ts';

/** Guesses at one code; the daily limit on codes bounds their sum (`store/emails/email-rate-limits.ts`). */
const triesPerCode = 3;

/** Codes that work beside each other: people also type the one of the email that arrived first. */
const codesOfBrowser = 3;

/** The browser keeps the secrets: someone who reads the email elsewhere cannot use its code. */
type CodeRequestResult =
  | { readonly state: 'asked'; readonly secrets: readonly string[] }
  | {
      readonly state: 'refused';
      readonly freeAt: number;
      /** Whether the client reached its limit for all addresses together. */
      readonly anyAddress: boolean;
    };

interface CodeRequest {
  readonly email: string;
  readonly locale: LanguageCode;
  /** The device cookie, if the browser has one. */
  readonly deviceToken: string | undefined;
  /** The secrets of its earlier requests. */
  readonly earlier: readonly string[];
  readonly visitor: Visitor;
}

/**
 * Emails a code to the account's stored address. Unknown addresses are counted and stored alike, so neither response
 * nor limit reveals who has an account.
 */
export async function requestCode(service: Service, wish: CodeRequest): Promise<CodeRequestResult> {
  const { email, locale, deviceToken, earlier, visitor } = wish;
  const { RECOVERY_MAILS_PER_ACCOUNT: max, RECOVERY_MAILS_PER_ADDRESS } = service.config;
  const now = service.now();
  const secret = randomSecret(256);
  const id = sha256(secret);
  const code = String(randomInt(10 ** mailCodeDigits)).padStart(mailCodeDigits, '0');
  const asked = await service.store.transaction().execute(async (trx) => {
    const account = await findAccountByEmail(trx, email);
    const deviceHash = deviceToken && sha256(deviceToken);
    const knownDevice = await knownDeviceOf(trx, { deviceHash, account, now });
    if (knownDevice === undefined) {
      const ofAsker = await countRequestInTransaction(
        trx,
        requesterRateLimits('code', visitor, RECOVERY_MAILS_PER_ADDRESS),
        now,
      );
      if (ofAsker.state === 'refused') return { ...ofAsker, anyAddress: true };
    }
    const limits = emailRateLimits({ kind: 'code', emailHash: sha256(emailKey(email)), visitor, max, knownDevice });
    const counted = await countRequestInTransaction(trx, limits, now);
    if (counted.state === 'refused') return { ...counted, anyAddress: false };
    const params = { code, device: deviceName(visitor.userAgent), ip: visitor.ip, when: now };
    const addressee = account && { ...account, locale };
    const outboxId = addressee
      ? await enqueueEmail(trx, {
          notice: 'sign_in_code',
          params,
          account: addressee,
          at: now,
          secrets: service.secrets,
        })
      : null;
    await mailCodes.add(trx, {
      id,
      email_key: emailKey(email),
      account_id: account?.id ?? null,
      outbox_id: outboxId,
      proof: macOfCode(service.keyring.emailCodes[0] as Buffer, id, code),
      attempts_left: triesPerCode,
      created_at: now,
    });
    return { state: 'asked', secrets: [secret, ...earlier].slice(0, codesOfBrowser) } as const;
  });
  service.outbox.wake();
  return asked;
}

interface CodeSignInRequest {
  readonly email: string;
  readonly code: string;
  readonly db_type?: string | undefined;
  /** Of the browser's requests for codes, the newest first. */
  readonly secrets: readonly string[];
  readonly browser: Browser;
}

/**
 * Signs in a reader of the account's email in the browser that requested the code. Refuses with `code_incorrect`,
 * `code_expired`, or `email_cannot_be_used` when an operator has locked the account.
 */
export function signInByCode(service: Service, request: CodeSignInRequest): Promise<AdmissionResult> {
  const { email, code, secrets } = request;
  const step = { name: 'email_code', browser: secrets.join('.') || undefined, request: [email, code] };
  return admitOnce(service, step, (keep) => admitByCode(service, request, keep));
}

async function admitByCode(
  service: Service,
  request: CodeSignInRequest,
  keep: Keep<AdmissionResult>,
): Promise<AdmissionResult> {
  const { id, accountId, emailHash, isKnown } = await readCode(service, request);
  return admit(service, {
    proof: {
      method: 'email_code',
      async redeem(trx, now) {
        const account = await lockAndFindAccount(trx, accountId);
        if (!account || !(await mailCodes.use(trx, { id, account_id: accountId }, now)))
          throw refuse(loginByCode, 'code_expired');
        await attemptSucceeded(trx, lockoutOfAddress(emailHash));
        return account;
      },
    },
    browser: request.browser,
    isKnown,
    dbType: request.db_type,
    keep,
  });
}

/**
 * Checks a code against all that the browser requested, and finds its account and whether the browser is a known device.
 * Counts the try of each before the check.
 */
async function readCode(
  { store, keyring, now }: Service,
  { email, code, secrets, browser: { deviceToken } }: Omit<CodeSignInRequest, 'db_type'>,
) {
  const at = now();
  const key = emailKey(email);
  const emailHash = sha256(key);
  const ids = secrets.map(sha256);
  const tried = await takeMailCodeTries(store, { ids, emailKey: key, now: at });
  const matching = tried.find(({ id, proof }) => isMacOfCode(keyring.emailCodes, proof, { id, code }));
  const asked = matching ?? tried.toSorted((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id))[0];
  if (!asked) throw refuse(loginByCode, 'code_expired');
  const { id, account_id: accountId } = asked;
  // The query also runs for an unknown address, so that the response time reveals nothing.
  const knownDevice = await knownDeviceOf(store, {
    deviceHash: deviceToken && sha256(deviceToken),
    account: { id: accountId ?? '' },
    now: at,
  });
  if (!matching || accountId === null) {
    // An unknown address gets no email, so its code expires at this time: a known address whose email is late must not
    // get a different response.
    if (asked.created_at <= at - mailCodeLifetime) throw refuse(loginByCode, 'code_expired');
    throw refuse(loginByCode, 'code_incorrect', { attempts_left: asked.attempts_left });
  }
  return { id, accountId, emailHash, isKnown: knownDevice !== undefined };
}
