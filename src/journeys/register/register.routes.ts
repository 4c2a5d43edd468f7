import { Failure, tooMuch } from '../../contract/failures.ts';
import type { Mount } from '../../http/mount.ts';
import { browserOf } from '../../http/session/browser.ts';
import { grantAdmission } from '../../http/session/grant-session.ts';
import type { Service } from '../../server/service.ts';
import { register } from './register.contract.ts';
import { registerOnce } from './register.ts';

export function registerRoutes(mount: Mount, service: Service): void {
  mount(register, async ({ body, visitor, request, reply }) => {
    const wait = Math.max(service.newAccounts.wait(visitor), service.registrationGuesses.wait(visitor));
    if (wait > 0) throw tooMuch(register, 'too_many_requests', wait);
    // Count before deciding, so that parallel forms cannot pass a limit. Then uncount forms that the limit is not about.
    const uncountAccount = service.newAccounts.count(visitor);
    const uncountGuess = service.registrationGuesses.count(visitor);
    const registered = await registerOnce(service, body, browserOf(service, request)).catch((error: unknown) => {
      uncountAccount();
      if (!isGuess(error)) uncountGuess();
      throw error;
    });
    uncountGuess();
    if (registered.isRepeated) uncountAccount();
    return grantAdmission(service, reply, { ...registered, registers: true });
  });
}

/** Whether a refusal reveals something that many forms could probe for: an address or a promo code. */
const isGuess = (error: unknown): boolean =>
  error instanceof Failure &&
  (error.code === 'account_exists' || error.detail.fields?.some(({ code }) => code === 'promo_code_unknown') === true);
