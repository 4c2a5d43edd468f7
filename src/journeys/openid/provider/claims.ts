import type { FindAccount } from 'oidc-provider';
import { claimsOfScopes, splitScopes } from '../../../contract/openid-scopes.ts';
import type { Service } from '../../../server/service.ts';
import { type AccountsTable, findAccount } from '../../../store/accounts/accounts.ts';
import { groupsOf } from '../../../store/applications/account-groups.ts';
import { findClient } from '../../../store/applications/clients.ts';
import { mayEnter } from './next-step.ts';

/** The names of all claims that scopes give. */
export const claimNames: readonly string[] = Object.values(claimsOfScopes).flat();

const claimsOf = (account: AccountsTable) => ({
  sub: account.id,
  ...(account.name !== '' && { name: account.name }),
  locale: account.locale,
  ...(account.time_zone !== null && { zoneinfo: account.time_zone }),
  email: account.email,
  email_verified: account.email_proven_at !== null,
  ...(account.phone !== '' && {
    phone_number: account.phone,
    phone_number_verified: account.phone_confirmed_at !== null,
  }),
});

/**
 * Finds an account for the provider. A locked account, and one without the client's group, gets no tokens; a person whose
 * browser asks for a code learns why on our page instead.
 */
export const accountFinder =
  ({ store }: Pick<Service, 'store'>): FindAccount =>
  async (ctx, accountId) => {
    const account = await findAccount(store, accountId);
    if (!account || account.locked_at !== null) return undefined;
    const isBrowser = ctx.oidc.route === 'authorization' || ctx.oidc.route === 'resume';
    const client = isBrowser ? undefined : await findClient(store, ctx.oidc.client?.clientId ?? '');
    if (client && !(await mayEnter({ store }, client, accountId))) return undefined;
    return {
      accountId,
      claims: async (_use, scope) => ({
        ...claimsOf(account),
        ...(splitScopes(scope).includes('groups') && { groups: [...(await groupsOf(store, accountId))] }),
      }),
    };
  };
