import { setTimeout } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { HttpDeps } from '../../http/deps.ts';
import type { FairGate } from '../../http/fair-gate.ts';
import { mountOn } from '../../http/mount.ts';
import { tooMuch } from '../../http/problems.ts';
import * as contract from './recover-password.contract.ts';
import { judgePassword, openResetLink, type RecoveryDeps, requestRecovery, resetPassword } from './recover-password.ts';

/** Milliseconds. */
const answerAfter = 120;

export interface RecoveryRoutesDeps extends HttpDeps, RecoveryDeps {
  readonly settings: HttpDeps['settings'] & RecoveryDeps['settings'] & { readonly PASSWORD_MIN_LENGTH: number };
  readonly gate: FairGate;
}

export function recoverPasswordRoutes(app: FastifyInstance, deps: RecoveryRoutesDeps): void {
  const mount = mountOn(app, deps);

  mount(contract.requestRecovery, async ({ body, visitor }) => {
    // Long enough for either case, so that the time tells nobody whether there is an account.
    const [nextAt] = await Promise.all([requestRecovery(deps, { ...body, visitor }), setTimeout(answerAfter)]);
    if (nextAt > 0) throw tooMuch('too_many_requests', nextAt - deps.now());
    return {};
  });

  mount(contract.checkResetLink, async ({ body }) => {
    await openResetLink(deps, body);
  });

  mount(contract.resetPassword(deps.settings.PASSWORD_MIN_LENGTH), async ({ body, visitor }) => {
    const account = await openResetLink(deps, body);
    judgePassword(deps, account, body.password);
    const place = { source: visitor.source, lane: 'usual' } as const;
    const passwordHash = await deps.gate.run(place, () => deps.passwords.hash(body.password));
    await resetPassword(deps, { hash: body.hash, passwordHash, account, visitor });
  });
}
