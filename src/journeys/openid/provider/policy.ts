import type { errors, interactionPolicy, KoaContextWithOIDC } from 'oidc-provider';
import type { Service } from '../../../server/service.ts';
import { nextStep } from './next-step.ts';

interface Library {
  readonly errors: typeof errors;
  readonly interactionPolicy: typeof interactionPolicy;
}

/** The prompts of the provider: each runs `nextStep`, which decides. */
export function openPolicy(service: Pick<Service, 'store' | 'now'>, { errors, interactionPolicy }: Library) {
  const { Prompt, Check } = interactionPolicy;
  const check = (prompt: string, error: string) =>
    new Check(prompt, `${prompt} is required`, error, async (ctx: KoaContextWithOIDC) => {
      const step = await nextStep(service, ctx);
      if (step.prompt === 'unmet')
        throw new errors.CustomOIDCProviderError(
          'unmet_authentication_requirements',
          'the sign-in is not strong enough',
        );
      return step.prompt === prompt;
    });
  const prompts = [
    new Prompt({ name: 'login', requestable: true }, check('login', 'login_required')),
    new Prompt({ name: 'access', requestable: false }, check('access', 'access_denied')),
    // Must exist to be accepted. The page for signing in again is where users choose another account.
    new Prompt({ name: 'select_account', requestable: true }),
    new Prompt({ name: 'consent', requestable: true }, check('consent', 'consent_required')),
  ];
  // The library adds a check that only its own sign-in satisfies; `nextStep` judges requested prompts.
  for (const { name, checks } of prompts) checks.remove(`${name}_prompt`);
  return prompts;
}
