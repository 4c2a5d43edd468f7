import { hours } from '../../contract/durations.ts';
import { type LanguageCode, pathIn } from '../../contract/languages.ts';
import { refuse } from '../../contract/refuse.ts';
import { post } from '../../outbox/post.ts';
import { isProof, proofOf } from '../../security/phone-proofs.ts';
import { randomSecret, sha256 } from '../../security/secrets.ts';
import type { Service } from '../../server/foundation.ts';
import { emailKey } from '../../store/accounts.ts';
import { countRequest } from '../../store/limits.ts';
import { beginCall, callWasPlaced, confirmCall, takeTry } from '../../store/phone-calls.ts';
import type { Visitor } from '../../store/visitor.ts';
import { confirmMail, requestMail } from './confirm-phone.contract.ts';
import { countCall, requirePhone, TooManyCalls, triesPerCall, waitingFor } from './place-call.ts';

interface Wish {
  readonly phone: string;
  readonly email: string;
  readonly locale: LanguageCode;
  readonly visitor: Visitor;
}

const linkLifetime = hours(1);
const mailsAnHour = 3;

/**
 * Sends a link to somebody who cannot take a call, where the operator allows it. It shows that the person can be reached, and
 * not that the number is theirs: the account's phone stays unconfirmed.
 */
export async function sendConfirmationMail(service: Service, wish: Wish) {
  const { email, locale, visitor } = wish;
  const phone = requirePhone(requestMail, wish);
  const now = service.now();
  const ofAddress = { key: `phone-mail:${sha256(emailKey(email))}`, limit: mailsAnHour, within: hours(1) };
  const counted = await countRequest(service.store, [ofAddress], now);
  if (counted.state === 'refused') throw new TooManyCalls(counted.freeAt - now);
  await countCall(service, { phone, source: visitor.source });

  const id = randomSecret(128);
  const secret = randomSecret(256);
  const link = new URL(pathIn(locale, '/confirm-mail/'), service.config.PUBLIC_URL);
  link.searchParams.set('call', id);
  link.searchParams.set('hash', secret);
  await service.store.transaction().execute(async (trx) => {
    const proof = proofOf(service.keyring.phone[0] as Buffer, id, secret);
    const call = { id, phone, way: 'mail', proof, locale, attempts_left: triesPerCall } as const;
    await beginCall(trx, { ...call, created_at: now, expires_at: now + linkLifetime });
    await callWasPlaced(trx, { id, provider: null, proof, reference: null });
    const account = { email, name: email, locale };
    await post(trx, { notice: 'confirm_mail', params: { link: link.href }, account, at: now });
  });
  service.outbox.wake();
  return waitingFor(id, linkLifetime);
}

/** Consumes a link's secret. */
export async function confirmByMail(
  service: Service,
  { call: id, hash }: { call: string; hash: string },
): Promise<void> {
  const now = service.now();
  const call = await takeTry(service.store, { id, ways: ['mail'], now });
  if (!call?.proof || !isProof(service.keyring.phone, call.proof, { call: id, answer: hash }))
    throw refuse(confirmMail, 'confirmation_link_expired');
  await confirmCall(service.store, { id, now });
}
