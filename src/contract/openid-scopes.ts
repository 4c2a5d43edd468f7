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

/** The values that an application may also get under names of its own, and the scope that each needs. */
export const knownClaims = {
  sub: 'openid',
  name: 'profile',
  given_name: 'profile',
  family_name: 'profile',
  locale: 'profile',
  zoneinfo: 'profile',
  preferred_username: 'email',
  email: 'email',
  email_verified: 'email',
  phone_number: 'phone',
  phone_number_verified: 'phone',
  groups: 'groups',
} as const satisfies Record<string, Scope>;
export type KnownClaim = keyof typeof knownClaims;

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

/** The scopes of a request for each of these APIs: those of OpenID Connect, and the API's own. */
export const scopesForResources = (
  requested: readonly string[],
  { resources, own }: { resources: readonly string[]; own: ReadonlyMap<string, readonly string[]> },
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    resources.map((uri) => [
      uri,
      addScopes(
        '',
        requested.filter((scope) => [...allScopes, ...(own.get(uri) ?? [])].includes(scope)),
      ),
    ]),
  );

/** Adds the scopes of APIs to those of a JSON text. */
export const addResources = (text: string, added: Readonly<Record<string, string>>): string => {
  const known: Record<string, string> = JSON.parse(text);
  for (const [uri, scopes] of Object.entries(added)) known[uri] = addScopes(known[uri] ?? '', splitScopes(scopes));
  return JSON.stringify(known);
};

/** Whether a JSON text contains these APIs with all of these scopes. */
export const includesResources = (text: string, wanted: Readonly<Record<string, string>>): boolean => {
  const known: Record<string, string> = JSON.parse(text);
  return Object.entries(wanted).every(
    ([uri, scopes]) =>
      Object.hasOwn(known, uri) && splitScopes(scopes).every((scope) => splitScopes(known[uri] ?? '').includes(scope)),
  );
};
