import { randomUUID } from 'node:crypto';
import { clientEntry } from '../../operations/clients/client-entry.ts';
import { addClient } from '../../operations/clients/save-client.ts';
import { type StoreCommand, UsageError } from '../command.ts';
import { operationOf, reasonOption } from '../operator.ts';

const flags = ['public', 'first-party', 'service', 'device', 'rs256', 'claims-in-id-token'] as const;

export const clientsAdd: StoreCommand = {
  name: ['clients', 'add'],
  usage:
    'clients add NAME --redirect URI… [--public] [--post-logout URI…] [--backchannel-logout URI] [--groups A,B] [--first-party] [--device] [--service] [--resource URI…] [--rs256] [--claims-in-id-token] [--reason TEXT]',
  summary: 'add an application that people sign in to, and print its id and secret',
  options: {
    redirect: { type: 'string', multiple: true },
    'post-logout': { type: 'string', multiple: true },
    'backchannel-logout': { type: 'string' },
    groups: { type: 'string', multiple: true },
    resource: { type: 'string', multiple: true },
    ...Object.fromEntries(flags.map((flag) => [flag, { type: 'boolean' as const }])),
    ...reasonOption,
  },
  async run(given) {
    const { positionals, options } = given;
    const [name, ...more] = positionals;
    if (!name || more.length > 0)
      throw new UsageError('clients add NAME: one name, in quotation marks if it has spaces');
    const { data: entry, error } = clientEntry.safeParse({
      // Never begins with a hyphen, which other commands would take for an option.
      client_id: randomUUID(),
      client_name: name,
      redirect_uris: options.redirect ?? [],
      post_logout_redirect_uris: options['post-logout'] ?? [],
      backchannel_logout_uri: options['backchannel-logout'],
      groups: groupsIn((options.groups ?? []) as string[]),
      resources: options.resource ?? [],
      id_token_signed_response_alg: options.rs256 === true ? 'RS256' : 'ES256',
      public: options.public === true,
      first_party: options['first-party'] === true,
      service: options.service === true,
      device: options.device === true,
      claims_in_id_token: options['claims-in-id-token'] === true,
    });
    if (!entry)
      throw new UsageError(error.issues.map(({ path, message }) => `${optionOf(path[0])}: ${message}`).join('\n'));
    const secret = await addClient(operationOf(given), entry);
    return {
      text: [
        `client_id      ${entry.client_id}`,
        ...(secret === undefined ? [] : [`client_secret  ${secret}`, 'The secret is not shown again.']),
      ].join('\n'),
      data: { client_id: entry.client_id, client_secret: secret, client_name: entry.client_name },
    };
  },
};

/** An empty name, as from an empty variable, would admit every account instead of a group. */
function groupsIn(lists: readonly string[]): string[] {
  const names = lists.flatMap((list) => list.split(',')).map((one) => one.trim());
  if (names.includes('')) throw new UsageError('--groups A,B: names of groups, separated by commas');
  return names;
}

/** The option behind a field of the entry. */
const optionOf = (field: unknown): string =>
  ({
    client_name: 'NAME',
    redirect_uris: '--redirect',
    post_logout_redirect_uris: '--post-logout',
    backchannel_logout_uri: '--backchannel-logout',
    resources: '--resource',
  })[String(field)] ?? `--${String(field)}`;
