/** Every scope that an application can request; pages explain each. */
export const allScopes = ['openid', 'profile', 'email', 'phone', 'groups', 'offline_access'] as const;
export type Scope = (typeof allScopes)[number];

/** The claims of each scope (OpenID Connect Core 1.0, section 5.4; `groups` is a convention of the field). */
export const claimsOfScopes: Readonly<Record<Scope, readonly string[]>> = {
  openid: ['sub', 'sid', 'auth_time', 'acr', 'amr'],
  profile: ['name', 'locale', 'zoneinfo'],
  email: ['email', 'email_verified'],
  phone: ['phone_number', 'phone_number_verified'],
  groups: ['groups'],
  offline_access: [],
};

/** Splits a `scope` parameter (RFC 6749, section 3.3) as requests, tokens and our tables contain it. */
export const splitScopes = (text: string): string[] => text.split(' ').filter((scope) => scope !== '');

/** The scopes of a text that we know, in the order in which pages show them. */
export function knownScopes(text: string): Scope[] {
  const named = splitScopes(text);
  return allScopes.filter((scope) => named.includes(scope));
}

/** Adds scopes to those of a text; the result is sorted, so that equal sets are equal texts. */
export const addScopes = (text: string, scopes: readonly string[]): string =>
  [...new Set([...splitScopes(text), ...scopes])].sort().join(' ');
