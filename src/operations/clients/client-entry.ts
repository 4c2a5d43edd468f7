import * as z from 'zod/mini';
import { groupName } from '../../store/applications/account-groups.ts';
import { secretsPerClient } from '../../store/applications/client-secrets.ts';
import { clientId } from '../../store/applications/clients.ts';
import { backchannelProblem, redirectProblem } from './redirect-uri.ts';

const longestClientName = 80;
/** The least characters of a secret in CLIENTS_FILE: guesses could find a shorter one. */
const shortestSecret = 32;
const mostUris = 50;

const visible = z
  .string()
  .check(
    z.refine(
      (text) =>
        text.trim() === text && text !== '' && text.length <= longestClientName && !/[\p{Cc}\p{Cf}]/u.test(text),
      `must have 1 to ${longestClientName} visible characters`,
    ),
  );
const uris = z._default(z.array(z.string()).check(z.maxLength(mostUris, `must have at most ${mostUris} URIs`)), []);
const flag = z._default(z.boolean(), false);

/** A client as an operator describes it, with the names of OpenID Connect Dynamic Client Registration where it has some. */
export const clientEntry = z
  .strictObject({
    client_id: z.string().check(z.regex(clientId, 'must have 1 to 64 letters, digits or . _ ~ -')),
    client_name: visible,
    client_secrets: z._default(
      z
        .array(
          z
            .string()
            .check(z.minLength(shortestSecret, `must have at least ${shortestSecret} characters`), z.maxLength(256)),
        )
        .check(z.maxLength(secretsPerClient, `must have at most ${secretsPerClient}`)),
      [],
    ),
    redirect_uris: uris,
    post_logout_redirect_uris: uris,
    backchannel_logout_uri: z.optional(z.string()),
    id_token_signed_response_alg: z._default(z.enum(['ES256', 'RS256']), 'ES256'),
    groups: z._default(z.array(z.string().check(z.regex(groupName, 'must be names of groups'))), []),
    resources: uris,
    public: flag,
    first_party: flag,
    service: flag,
    device: flag,
    claims_in_id_token: flag,
  })
  .check((context) => {
    for (const [path, message] of problemsOf(context.value))
      context.issues.push({ code: 'custom', input: context.value, path: [path], message });
  });

export type ClientEntry = z.output<typeof clientEntry>;

/** The rules that concern several fields, as field and problem. */
function* problemsOf(entry: {
  redirect_uris: string[];
  post_logout_redirect_uris: string[];
  backchannel_logout_uri?: string | undefined;
  resources: string[];
  public: boolean;
  service: boolean;
  device: boolean;
  client_secrets: string[];
}): Generator<[field: string, problem: string]> {
  for (const field of ['redirect_uris', 'post_logout_redirect_uris'] as const)
    for (const uri of entry[field]) {
      const problem = redirectProblem(uri, { isPublic: entry.public });
      if (problem) yield [field, `${JSON.stringify(uri)} ${problem}`];
    }
  const backchannel = entry.backchannel_logout_uri;
  const problem = backchannel === undefined ? undefined : backchannelProblem(backchannel);
  if (problem) yield ['backchannel_logout_uri', `${JSON.stringify(backchannel)} ${problem}`];
  for (const resource of entry.resources)
    if (!/^(?:https?|urn):/.test(resource) || !URL.canParse(resource) || resource.includes('#'))
      yield ['resources', `${JSON.stringify(resource)} is not a URL without a fragment`];
  if (entry.redirect_uris.length === 0 && !entry.service && !entry.device)
    yield ['redirect_uris', 'must have a URI, unless the client is a service or uses the device flow'];
  if (entry.public && entry.service) yield ['service', 'needs a secret, which a public client cannot have'];
  if (entry.public && entry.client_secrets.length > 0) yield ['client_secrets', 'a public client cannot have secrets'];
}
