import { hours } from '../../contract/constants.ts';
import { Failure } from '../../contract/failures.ts';
import { type LanguageCode, pathIn } from '../../contract/languages.ts';
import { post } from '../../outbox/post.ts';
import { isProof, proofOf } from '../../security/phone-proofs.ts';
import { randomSecret, sha256 } from '../../security/secrets.ts';
import { emailKey } from '../../store/accounts.ts';
import { countRequest } from '../../store/limits.ts';
import { beginCall, callWasPlaced, confirmCall, takeTry } from '../../store/phone-calls.ts';
import { type CallDeps, countCall, requirePhone, TooManyCalls, triesPerCall, waitingFor } from './place-call.ts';

export interface MailDeps extends Omit<CallDeps, 'calls' | 'introduction'> {
  readonly settings: CallDeps['settings'] & { readonly PUBLIC_URL: string };
  readonly outbox: { wake(): void };
}

interface Wish {
  readonly phone: string;
  readonly email: string;
  readonly locale: LanguageCode;
  readonly visitor: { readonly source: string };
}

const linkLifetime = hours(1);
const mailsAnHour = 3;

/**
 * Sends a link to somebody who cannot take a call, where the operator allows it. It shows that the person can be reached, and
 * not that the number is theirs: the account's phone stays unconfirmed.
 */
export async function sendConfirmationMail(deps: MailDeps, { email, locale, visitor, ...wish }: Wish) {
  const phone = requirePhone(wish.phone, locale);
  const now = deps.now();
  const ofAddress = { key: `phone-mail:${sha256(emailKey(email))}`, limit: mailsAnHour, within: hours(1) };
  const counted = await countRequest(deps.store, [ofAddress], now);
  if (counted.state === 'refused') throw new TooManyCalls(counted.freeAt - now);
  await countCall(deps, { phone, source: visitor.source });

  const id = randomSecret(128);
  const secret = randomSecret(256);
  const link = new URL(pathIn(locale, '/confirm-mail/'), deps.settings.PUBLIC_URL);
  link.searchParams.set('call', id);
  link.searchParams.set('hash', secret);
  await deps.store.transaction().execute(async (trx) => {
    const proof = proofOf(deps.keyring.phone[0] as Buffer, id, secret);
    const call = { id, phone, way: 'mail', proof, locale, attempts_left: triesPerCall } as const;
    await beginCall(trx, { ...call, created_at: now, expires_at: now + linkLifetime });
    await callWasPlaced(trx, { id, provider: null, proof, reference: null });
    const account = { email, name: email, locale };
    await post(trx, { notice: 'confirm_mail', params: { link: link.href }, account, at: now });
  });
  deps.outbox.wake();
  return waitingFor(id, linkLifetime);
}

/** Consumes a link's secret. */
export async function confirmByMail(deps: MailDeps, { call: id, hash }: { call: string; hash: string }): Promise<void> {
  const now = deps.now();
  const call = await takeTry(deps.store, { id, ways: ['mail'], now });
  if (!call?.proof || !isProof(deps.keyring.phone, call.proof, { call: id, answer: hash }))
    throw new Failure('call_expired');
  await confirmCall(deps.store, { id, now });
}
