import { randomUUID } from 'node:crypto';
import {
  addClient,
  addSecret,
  type ClientEntry,
  changeClient,
  clientEntry,
  confirmClient,
  describeClient,
  describeClients,
  dropOlderSecret,
  refusalsOfClient,
  removeClientOf,
} from '../operations/clients.ts';
import { findClient } from '../store/applications/clients.ts';
import {
  type CommandOption,
  type CommandResult,
  inColumns,
  operationOf,
  reasonOption,
  type StoreCommand,
  UsageError,
} from './command.ts';

const oneClient = 'one client_id, as in clients list';

const clientsList: StoreCommand = {
  usage: 'clients list',
  summary: 'list the applications that people sign in to',
  example: 'clients list',
  async run({ store }) {
    const clients = await describeClients(store);
    const rows = clients.map((one) => [one.client_id, one.client_name, kindOf(one), one.groups.join(',')]);
    return { text: inColumns(rows) || 'There are no clients.', data: { clients } };
  },
};

const kindOf = (client: Awaited<ReturnType<typeof describeClients>>[number]): string =>
  [
    client.public && 'public',
    client.first_party && 'first party',
    client.service && 'service',
    client.device && 'device',
    client.apis.length > 0 && 'api',
    client.without_pkce && 'without PKCE',
    client.doubt && 'in doubt',
  ]
    .filter(Boolean)
    .join(', ');

const clientsShow: StoreCommand = {
  usage: 'clients show ID',
  summary: 'show an application, without its secrets',
  words: oneClient,
  example: 'clients show 5b0c2a4e',
  async run({ store, positionals }) {
    const [id = ''] = positionals;
    const data = await describeClient(store, id);
    if (!data) return unknown(id);
    const claims = Object.entries(data.claims).map(([own, known]) => `${own}=${known}`);
    const rows = Object.entries({ ...data, claims }).flatMap(([name, value]) =>
      [value]
        .flat()
        .map((one) => [
          name,
          one !== null && typeof one === 'object' ? (Object.values(one)[0] ?? '') : String(one ?? ''),
        ]),
    );
    return { text: inColumns(rows), data };
  },
};

const clientsWhy: StoreCommand = {
  usage: 'clients why ID',
  summary: 'show the last refusals of an application: when, why, and the reference in the log',
  words: oneClient,
  example: 'clients why 5b0c2a4e',
  async run({ store, positionals }) {
    const [id = ''] = positionals;
    if (!(await findClient(store, id))) return unknown(id);
    const refusals = await refusalsOfClient(store, id);
    const lines = refusals.map(({ at, route, code, explanation, value, reference }) =>
      [`${at}  ${route}  ${code}: ${explanation}`, value, `reference ${reference}`].filter(Boolean).join('\n    '),
    );
    return {
      text: lines.length === 0 ? 'No request of it was refused in the last 30 days.' : lines.join('\n'),
      data: { client_id: id, refusals },
    };
  },
};

const clientsSecret: StoreCommand = {
  usage: 'clients secret ID',
  summary: 'print a second secret that works beside the first; --drop ends the older of two',
  words: oneClient,
  example: 'clients secret 5b0c2a4e --drop',
  options: { drop: { type: 'boolean', help: 'end the older of two secrets' }, ...reasonOption },
  async run(given) {
    const [id = ''] = given.positionals;
    if (given.options.drop === true) {
      const dropped = await dropOlderSecret(operationOf(given), id);
      return {
        text: dropped ? `${id}: the older secret no longer works` : `${id}: has no second secret, so none was dropped`,
        data: { client_id: id, dropped },
        failed: !dropped,
      };
    }
    const outcome = await addSecret(operationOf(given), id);
    if (outcome.state === 'unknown') return unknown(id);
    if (outcome.state !== 'added')
      return { text: `${id}: ${whyNot[outcome.state]}`, data: { added: false }, failed: true };
    return {
      text: `client_secret  ${outcome.secret}\nThe secret is not shown again. The previous one also works until: vestibule clients secret ${id} --drop`,
      data: { client_id: id, client_secret: outcome.secret },
    };
  },
};

const whyNot = {
  full: 'has two secrets; end the older one first with --drop',
  public: 'is a public client, which has no secret',
  'from file': 'is from CLIENTS_FILE; change its secrets there',
} as const;

const clientsConfirm: StoreCommand = {
  usage: 'clients confirm ID',
  summary: 'say that an application is as it should be, which is in doubt since its operator lost access or the role',
  words: oneClient,
  example: 'clients confirm 5b0c2a4e',
  options: reasonOption,
  async run(given) {
    const [id = ''] = given.positionals;
    const confirmed = await confirmClient(operationOf(given), id);
    const text = `${id}: ${confirmed ? 'confirmed' : 'is not in doubt'}`;
    return { text, data: { client_id: id, confirmed }, failed: !confirmed };
  },
};

const clientsRemove: StoreCommand = {
  usage: 'clients remove ID',
  summary: 'remove an application and end everything that it was granted',
  words: oneClient,
  example: 'clients remove 5b0c2a4e --reason "replaced"',
  options: reasonOption,
  async run(given) {
    const [id = ''] = given.positionals;
    const isFromFile = (await findClient(given.store, id))?.isFromFile ?? false;
    // The next start or SIGHUP would add it again.
    if (isFromFile && given.config.CLIENTS_FILE)
      return {
        text: `${id}: is from CLIENTS_FILE; remove it there, and send SIGHUP`,
        data: { client_id: id, removed: false },
        failed: true,
      };
    const removed = await removeClientOf(operationOf(given), id);
    if (!removed) return unknown(id);
    const remark = isFromFile ? '; a node with this CLIENTS_FILE adds it again when it reads the file' : '';
    return { text: `${id}: removed${remark}`, data: { client_id: id, removed } };
  },
};

const unknown = (id: string): CommandResult => ({
  text: `${id}: no such client`,
  data: { found: false },
  failed: true,
});

/** The properties of a client that `add` and `change` take. */
const properties = {
  redirect: {
    type: 'string',
    multiple: true,
    value: 'URI',
    help: 'where to send people after the sign-in; exact, may be repeated',
  },
  public: { type: 'boolean', help: 'an app in a browser or on a phone, which cannot keep a secret' },
  'post-logout': {
    type: 'string',
    multiple: true,
    value: 'URI',
    help: 'where to send people after a sign-out; may be repeated',
  },
  'backchannel-logout': { type: 'string', value: 'URI', help: 'where to report ended sessions' },
  groups: { type: 'string', multiple: true, value: 'A,B', help: 'admit only accounts of these groups' },
  'first-party': { type: 'boolean', help: 'our own app: do not ask people for their consent' },
  device: { type: 'boolean', help: 'allow sign-in on devices without a browser, with a code' },
  service: { type: 'boolean', help: 'allow tokens for the app itself, without a person' },
  resource: {
    type: 'string',
    multiple: true,
    value: '"URI SCOPE…"',
    help: 'an API that its access tokens are for, with the scopes of that API; may be repeated',
  },
  api: {
    type: 'string',
    multiple: true,
    value: 'URI',
    help: 'an API that the app itself provides: it may introspect tokens for it; may be repeated',
  },
  claim: {
    type: 'string',
    multiple: true,
    value: 'NAME=CLAIM',
    help: 'the name that the app expects for a claim, such as preferred_username=email; may be repeated',
  },
  'without-pkce': { type: 'boolean', help: 'for an app that does not support PKCE; it must send a nonce' },
  es256: { type: 'boolean', help: 'sign ID tokens with ES256 instead of RS256' },
  'claims-in-id-token': { type: 'boolean', help: 'put the claims of the scopes into the ID token' },
} as const satisfies Record<string, CommandOption>;

const clientsAdd: StoreCommand = {
  usage: 'clients add NAME',
  summary: 'add an application that people sign in to, and print its id and secret',
  words: 'one name, in quotation marks if it has spaces',
  example: 'clients add "Team wiki" --redirect https://wiki.example/callback',
  options: { ...properties, ...reasonOption },
  async run(given) {
    const { positionals, options } = given;
    const [name] = positionals;
    // Never begins with a hyphen, which other commands would take for an option.
    const entry = parsed({ client_id: randomUUID(), client_name: name, ...changesIn(options) });
    return printed(entry, await addClient(operationOf(given), entry));
  },
};

/** Removes a property: `--no-groups`, `--no-first-party`. */
const removals = Object.fromEntries(
  Object.keys(properties).map((name) => [
    `no-${name}`,
    { type: 'boolean', help: `the opposite of --${name}` } as const,
  ]),
);

const clientsChange: StoreCommand = {
  usage: 'clients change ID',
  summary: 'change what you name of an application, and keep the rest with its id and secrets',
  words: oneClient,
  example: 'clients change 5b0c2a4e --redirect https://wiki.example/callback --redirect https://new.example/callback',
  options: {
    name: { type: 'string', value: 'NAME', help: 'the name that people see' },
    ...properties,
    ...removals,
    ...reasonOption,
  },
  async run(given) {
    const { positionals, options, config } = given;
    const [id = ''] = positionals;
    const twice = Object.keys(properties).find((name) => options[name] !== undefined && options[`no-${name}`] === true);
    if (twice !== undefined) throw new UsageError(`--${twice} and --no-${twice} exclude each other`);
    const name = options.name === undefined ? {} : { client_name: options.name };
    const change = (former: ClientEntry) => parsed({ ...former, ...name, ...changesIn(options) });
    const outcome = await changeClient(operationOf(given), { id, evenFromFile: !config.CLIENTS_FILE, change });
    if (outcome.state === 'unknown') return unknown(id);
    if (outcome.state !== 'changed')
      return {
        text: `${id}: is from CLIENTS_FILE; change it there, and send SIGHUP`,
        data: { client_id: id, changed: false },
        failed: true,
      };
    return outcome.secret === undefined
      ? { text: `${id}: changed`, data: { client_id: id, changed: true } }
      : printed(outcome.entry, outcome.secret);
  },
};

function parsed(fields: object): ClientEntry {
  const { data: entry, error } = clientEntry.safeParse(fields);
  if (entry) return entry;
  throw new UsageError(error.issues.map(({ path, message }) => `${optionOf(path[0])}: ${message}`).join('\n'));
}

const printed = (entry: ClientEntry, secret: string | undefined): CommandResult => ({
  text: [
    `client_id      ${entry.client_id}`,
    ...(secret === undefined ? [] : [`client_secret  ${secret}`, 'The secret is not shown again.']),
  ].join('\n'),
  data: { client_id: entry.client_id, client_secret: secret, client_name: entry.client_name },
});

/** The field of the entry that each option sets. */
const fieldOf: Readonly<Record<keyof typeof properties, keyof ClientEntry>> = {
  redirect: 'redirect_uris',
  public: 'public',
  'post-logout': 'post_logout_redirect_uris',
  'backchannel-logout': 'backchannel_logout_uri',
  groups: 'groups',
  'first-party': 'first_party',
  device: 'device',
  service: 'service',
  resource: 'resources',
  api: 'apis',
  claim: 'claims',
  'without-pkce': 'without_pkce',
  es256: 'id_token_signed_response_alg',
  'claims-in-id-token': 'claims_in_id_token',
};

type Options = Readonly<Record<string, unknown>>;

/** The fields that options name; the others stay as they are. */
const changesIn = (given: Options): object =>
  Object.fromEntries(
    Object.entries(fieldOf).flatMap(([option, field]) => {
      const value = given[option];
      if (given[`no-${option}`] === true) return [[field, without(option)]];
      return value === undefined ? [] : [[field, givenBy(option, value)]];
    }),
  );

function givenBy(option: string, value: unknown): unknown {
  if (option === 'groups') return groupsIn(value as string[]);
  if (option === 'claim') return claimsIn(value as string[]);
  if (option === 'resource') return (value as string[]).map((one) => one.trim().split(/\s+/).join(' '));
  return option === 'es256' ? 'ES256' : value;
}

function without(option: string): unknown {
  if (option === 'es256') return 'RS256';
  if (option === 'claim') return {};
  if (option === 'backchannel-logout') return undefined;
  const { type }: CommandOption = properties[option as keyof typeof properties];
  return type === 'boolean' ? false : [];
}

/** An empty name, as from an empty variable, would admit every account instead of a group. */
function groupsIn(lists: readonly string[]): string[] {
  const names = lists.flatMap((list) => list.split(',')).map((one) => one.trim());
  if (names.includes('')) throw new UsageError('--groups A,B: names of groups, separated by commas');
  return names;
}

function claimsIn(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1) throw new UsageError('--claim NAME=CLAIM: such as preferred_username=email');
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

/** The option behind a field of the entry. */
const optionOf = (field: unknown): string => {
  const [option] = Object.entries(fieldOf).find(([, name]) => name === field) ?? [];
  return option === undefined ? 'NAME' : `--${option}`;
};

export const clientCommands = [
  clientsAdd,
  clientsChange,
  clientsList,
  clientsShow,
  clientsWhy,
  clientsSecret,
  clientsConfirm,
  clientsRemove,
];
