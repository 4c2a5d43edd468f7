import type { FastifyRequest } from 'fastify';
import { Failure, tooMuch } from '../../contract/failures.ts';
import type { Mount } from '../../http/mount.ts';
import { markPhoneBrowser } from '../../http/session/browser.ts';
import type { Service } from '../../server/service.ts';
import { confirmByEmail, sendConfirmationEmail } from './by-mail/confirm-by-mail.ts';
import { TooManyCalls } from './calls/call-rate-limits.ts';
import { checkAddress, requestCall } from './calls/place-call.ts';
import * as contract from './confirm-phone.contract.ts';
import { confirmDigits, describeCall } from './confirm-phone.ts';

/** Mounted only if phone confirmation is enabled, because calls cost money. */
export function confirmPhoneRoutes(mount: Mount, service: Service): void {
  mount(contract.requestCall, async ({ body, visitor, request, reply }) => {
    const { email } = body;
    if (email !== undefined) await guarded(service, visitor, () => checkAddress(service, email));
    return limited(
      () =>
        requestCall(service, {
          ...body,
          visitor,
          browser: markPhoneBrowser(service, request, reply),
          deviceToken: service.cookies.read(request, 'device'),
        }),
      (reached) => tooMuch(contract.requestCall, 'too_many_calls', reached),
    );
  });

  mount(contract.readCall, ({ params }) => describeCall(service, params.call));

  mount(contract.confirmDigits, ({ body, visitor, request }) =>
    confirmDigits(service, { ...body, visitor, deviceToken: service.cookies.read(request, 'device') }),
  );

  if (service.config.PHONE_CONFIRMATION_BY_MAIL === 'off') return;

  mount(contract.requestMail, ({ body, visitor, request, reply }) =>
    limited(
      () =>
        sendConfirmationEmail(service, {
          ...body,
          visitor,
          browser: markPhoneBrowser(service, request, reply),
        }),
      (reached) => tooMuch(contract.requestMail, 'too_many_mails', reached),
    ),
  );

  mount(contract.confirmMail, ({ body: { call, secret = '' } }) => confirmByEmail(service, { call, secret }));
}

/** Keeps this route from revealing accounts faster than registration does. */
async function guarded(
  service: Service,
  visitor: FastifyRequest['visitor'],
  check: () => Promise<void>,
): Promise<void> {
  const { registrationGuesses } = service;
  const wait = registrationGuesses.wait(visitor);
  if (wait > 0) throw tooMuch(contract.requestCall, 'too_many_requests', wait);
  // The request counts on admission, as for registration, and is refunded if its response revealed nothing.
  const uncount = registrationGuesses.count(visitor);
  try {
    await check();
    uncount();
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'account_exists') uncount();
    throw error;
  }
}

async function limited<T>(work: () => Promise<T>, refusal: (reached: TooManyCalls) => Failure): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof TooManyCalls ? refusal(error) : error;
  }
}
