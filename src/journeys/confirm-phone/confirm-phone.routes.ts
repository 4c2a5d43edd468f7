import type { FastifyInstance } from 'fastify';
import type { HttpDeps } from '../../http/deps.ts';
import { mountOn } from '../../http/mount.ts';
import { tooMuch } from '../../http/problems.ts';
import { confirmByMail, type MailDeps, sendConfirmationMail } from './confirm-by-mail.ts';
import * as contract from './confirm-phone.contract.ts';
import { type ConfirmDeps, confirmDigits, describeCall } from './confirm-phone.ts';
import { type CallDeps, placeCall, TooManyCalls } from './place-call.ts';

export interface ConfirmPhoneRoutesDeps extends HttpDeps, ConfirmDeps, CallDeps, Omit<MailDeps, 'keyring'> {
  readonly keyring: HttpDeps['keyring'] & CallDeps['keyring'];
  readonly settings: HttpDeps['settings'] &
    CallDeps['settings'] &
    MailDeps['settings'] & { readonly PHONE_CONFIRMATION_BY_MAIL: 'on' | 'off' };
}

/** Where nobody confirms a phone, none of this exists: a call costs money. */
export function confirmPhoneRoutes(app: FastifyInstance, deps: ConfirmPhoneRoutesDeps): void {
  const mount = mountOn(app, deps);

  mount(contract.requestCall, ({ body, visitor }) => limited(() => placeCall(deps, { ...body, visitor })));

  mount(contract.readCall, ({ params }) => describeCall(deps, params.call));

  mount(contract.confirmDigits, ({ body }) => confirmDigits(deps, body));

  if (deps.settings.PHONE_CONFIRMATION_BY_MAIL === 'off') return;

  mount(contract.requestMail, ({ body, visitor }) => limited(() => sendConfirmationMail(deps, { ...body, visitor })));

  mount(contract.confirmMail, ({ body }) => confirmByMail(deps, body));
}

async function limited<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof TooManyCalls ? tooMuch('too_many_calls', error.wait) : error;
  }
}
