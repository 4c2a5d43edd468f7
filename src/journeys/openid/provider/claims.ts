import type { FindAccount, Provider } from 'oidc-provider';
import { claimsOfScopes, type KnownClaim, knownClaims, splitScopes } from '../../../contract/openid-scopes.ts';
import type { Service } from '../../../server/service.ts';
import { findNamed, isLive, type NamedSession, type SessionsTable } from '../../../store/access/sessions.ts';
import { authenticationOf as authenticationOfSession } from '../../../store/access/sign-in-lookup.ts';
import { type AccountsTable, findAccount } from '../../../store/accounts/accounts.ts';
import { groupsOf } from '../../../store/applications/account-groups.ts';
import { browserRequestOf, clientOfRequest } from './client-authentication.ts';
import { mayEnter } from './next-step.ts';

export const claimNames: readonly string[] = Object.values(claimsOfScopes).flat();

const claimsOf = (account: AccountsTable) => ({
  sub: account.id,
  ...(account.name !== '' && namesOf(account.name)),
  locale: account.locale,
  ...(account.time_zone !== null && { zoneinfo: account.time_zone }),
  // Applications that know people by it must not take a stranger for the owner of the address.
  preferred_username: account.email_proven_at === null ? account.id : account.email,
  email: account.email,
  email_verified: account.email_proven_at !== null,
  ...(account.phone !== '' && {
    phone_number: account.phone,
    phone_number_verified: account.phone_confirmed_at !== null,
  }),
});

/** A name whole, and divided at its last space for applications that insist on two parts. */
function namesOf(name: string) {
  const at = name.lastIndexOf(' ');
  return {
    name,
    ...(at === -1 ? { given_name: name } : { given_name: name.slice(0, at), family_name: name.slice(at + 1) }),
  };
}

/** Where an account's claims carry the client's own names of them. */
const ownNames = Symbol('own names');

interface Claims {
  readonly available: Readonly<Record<string | symbol, unknown>>;
  /** The claims that the scopes give. */
  readonly filter: Readonly<Record<string, unknown>>;
  result(): Promise<Record<string, unknown>>;
}

/** Adds claims under a client's own names, with the scope that each value needs. */
export function nameClaims(provider: Provider): void {
  const { prototype } = provider.Claims as unknown as { prototype: Claims };
  const { result } = prototype;
  prototype.result = async function (this: Claims) {
    const claims = await result.call(this);
    const names = (this.available[ownNames] ?? {}) as Readonly<Record<string, KnownClaim>>;
    for (const [name, value] of Object.entries(names)) {
      // Under another name, `email_verified` would not say that nobody has proven it.
      if (value === 'email' && this.available.email_verified !== true) continue;
      const isGiven = claimsOfScopes[knownClaims[value]].some((claim) => claim in this.filter && claim !== 'sub');
      if ((isGiven || value === 'sub') && this.available[value] !== undefined) claims[name] = this.available[value];
    }
    return claims;
  };
}

/**
 * Finds an account for the provider. A locked account, and one without the client's group, gets no tokens; a person whose
 * browser asks for a code learns why on our page instead.
 */
export const accountFinder =
  ({ store }: Pick<Service, 'store'>): FindAccount =>
  async (ctx, accountId) => {
    const { signedIn } = browserRequestOf(ctx.req);
    const account = signedIn?.account.id === accountId ? signedIn.account : await findAccount(store, accountId);
    if (!account || account.locked_at !== null) return undefined;
    const isBrowser = ctx.oidc.route === 'authorization' || ctx.oidc.route === 'resume';
    const client = clientOfRequest(ctx);
    if (!isBrowser && client && !(await mayEnter({ store }, client, accountId))) return undefined;
    return {
      accountId,
      claims: async (_use, scope) => ({
        ...claimsOf(account),
        [ownNames]: client?.claims,
        ...(splitScopes(scope).includes('groups') && { groups: [...(await groupsOf(store, accountId))] }),
      }),
    };
  };

export const acrValues = ['aal1', 'aal2'] as const;

/** How and when the owner of a session proved who they are, as ID tokens say it: with the time in seconds. */
export const authenticationOf = (session: SessionsTable) => {
  const { authTime, amr, acr } = authenticationOfSession(session);
  return { authTime: Math.floor(authTime / 1000), amr: [...amr], acr };
};

/** The live session that a refresh cookie names, and its account; undefined for an old copy of the cookie. */
export async function signedInBrowser(
  { store, now }: Pick<Service, 'store' | 'now'>,
  named: NamedSession | undefined,
): Promise<{ readonly session: SessionsTable; readonly account: AccountsTable } | undefined> {
  const session = await findNamed(store, named);
  if (!session || !isLive(session, now())) return undefined;
  const account = await findAccount(store, session.account_id);
  return account && { session, account };
}
