import { keyRoles, operatorRoles, seesContacts } from '../../contract/operator-roles.ts';
import { csrfCookie } from '../../contract/pages.ts';

/** What holds for all operations, in CommonMark. */
export const introduction = `
Accounts, sessions, and the last place of each user.

## Cookies and tokens

- **CSRF**: each request except \`GET\` sends the value of the cookie \`${csrfCookie}\` in \`X-CSRF-Token\`, also the sign-in: get the
  cookie from \`GET /auth/csrf\` first. It changes at sign-in and sign-out. Computers need none.
- **Origin**: a request with \`Origin\` or \`Sec-Fetch-Site\` comes from this origin, or is refused with \`csrf_failed\`. There is no CORS.
- **Session**: a sign-in sets the session’s cookie and returns an access token for ten minutes. \`POST /auth/refresh\` replaces both;
  keep the newest cookie. If the response is lost, repeat the refresh.
- **Step-up**: after 401 \`step_up_required\`, send \`POST /auth/step-up\` with one of the \`ways\`, and repeat the request with the new token.

## Conventions

- Bodies are JSON in UTF-8, up to 16 KiB. Unknown properties and parameters are ignored.
- Times are ISO 8601 in UTC, such as \`2026-03-14T09:26:53.589Z\`. Durations are in seconds unless a description says otherwise.
- Ids and \`next\` are opaque.
- **Paging**: \`limit\` sets the size of a page; send \`next\` as \`before\` to get older entries, until it is null.
- **Idempotency**: an operation with \`attempt\` may be repeated with the same value within ten minutes. The others with \`POST\` are not
  idempotent; \`GET\`, \`PUT\` and \`DELETE\` are.
- **Errors** are problem documents (RFC 9457). Decide by \`code\`, never by \`title\`. 405 has \`Allow\`. \`X-Request-Id\` finds the request in
  the operator’s log.
- **Limits**: after 429 and 503, wait for \`Retry-After\` seconds.

## Stability

\`info.version\` is the id of the running build. Within a major version of the program, no operation, property, code or header is
removed or changes its meaning, and no request needs more than before. Responses may get new properties, new values of enumerations
and new codes: ignore what you do not know. What a later major version removes is \`deprecated\` here, and named in the changelog, at
least one minor version before. Operations with the tag Applications are for the pages of this service and may change at any time.
`.trim();

const maskedRoles = operatorRoles.filter((role) => !seesContacts(role)).join(', ');

/** The same for the management API. */
export const operatorsIntroduction = `
What operators can do by command, for their programs and consoles. \`docs/management-api.md\` has examples.

## Callers

- **Programs** send a key of \`vestibule keys-for-operators add\` in \`Authorization: Bearer\`: no cookie, no CSRF token. A key has the role
  ${keyRoles.join(' or ')}, expires within a year, and may be limited to addresses.
- **Operators** send the access token of a session with two factors. Changes need the CSRF token as in \`/openapi.json\`, and a step-up in
  the last 15 minutes; after 30 minutes without a request, every operation does.
- A role may do what those before it may: ${operatorRoles.join(', ')}. Addresses and phone numbers are masked for ${maskedRoles}.

## Conventions

- Every change, and every view of a person, is an entry of the audit log with its optional \`reason\`.
- **Paging**: send \`next\` as \`cursor\` to get the next page, until it is null. There are no totals.
- **Errors** are problem documents (RFC 9457). Decide by \`code\`, never by \`title\`.
- Times are ISO 8601 in UTC. Ids, \`next\` and \`cursor\` are opaque. Unknown properties have no effect.
`.trim();
