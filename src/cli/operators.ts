import { email as emailField } from '../contract/fields/fields.ts';
import { keyRoles, type OperatorRole, operatorRoles } from '../contract/operators.ts';
import { days, iso } from '../contract/units.ts';
import { isAddressRange } from '../http/incoming/visitor.ts';
import {
  addOperatorKey,
  changeRole,
  describeInvitations,
  describeKeys,
  describeOperators,
  invitationLink,
  inviteOperator,
  longestKeyLife,
  removeOperator,
  revokeInvitation,
  revokeOperatorKey,
} from '../operations/operators.ts';
import { emailKey } from '../store/accounts/accounts.ts';
import {
  type AccountCommand,
  type CommandOption,
  type CommandResult,
  inColumns,
  operationOf,
  readNumber,
  reasonOption,
  type StoreCommand,
  UsageError,
} from './command.ts';

const roleOption = {
  role: { type: 'string', value: 'ROLE', help: operatorRoles.join(', ') },
} as const satisfies Record<string, CommandOption>;

function readRole<Role extends string>(options: Readonly<Record<string, unknown>>, roles: readonly Role[]): Role {
  const role = roles.find((one) => one === options.role);
  if (role === undefined) throw new UsageError(`--role ROLE: one of ${roles.join(', ')}`);
  return role;
}

function readEmail([typed, ...more]: readonly string[]): string {
  const { data } = emailField.safeParse(typed);
  if (data === undefined || more.length > 0) throw new UsageError('EMAIL: one email address');
  return data;
}

const operatorsInvite: StoreCommand = {
  usage: 'operators invite EMAIL --role ROLE',
  summary: 'invite the owner of an address to operate this service; the invitation works once, for 30 minutes',
  example: 'operators invite anna@example.com --role owner',
  options: { ...roleOption, ...reasonOption },
  async run(given) {
    const email = readEmail(given.positionals);
    const role = readRole<OperatorRole>(given.options, operatorRoles);
    const { invitation, expiresAt } = await inviteOperator(operationOf(given), { email, role });
    const link = invitationLink(given.config.PUBLIC_URL, invitation);
    const until = iso(expiresAt);
    return {
      text: `${email} may accept until ${until}, signed in with a second step:\n${link}`,
      data: { email, role, invitation, link, until },
    };
  },
};

const operatorsInvitations: StoreCommand = {
  usage: 'operators invitations',
  summary: 'list the invitations that nobody has accepted yet',
  example: 'operators invitations',
  async run({ store, now }) {
    const invitations = await describeInvitations(store, now);
    const rows = invitations.map(({ email, role, expires_at, added_by, added_by_name }) => [
      email,
      role,
      `until ${expires_at}`,
      `by ${added_by_name ?? added_by ?? 'a command'}`,
    ]);
    return { text: inColumns(rows) || 'No invitation is open.', data: { invitations } };
  },
};

const operatorsRevoke: StoreCommand = {
  usage: 'operators revoke EMAIL',
  summary: 'revoke the invitation of an address immediately',
  example: 'operators revoke anna@example.com --reason "mistyped"',
  options: reasonOption,
  async run(given) {
    const typed = readEmail(given.positionals);
    const open = await describeInvitations(given.store, given.now);
    const invitation = open.find(({ email }) => email === emailKey(typed));
    const revoked = invitation !== undefined && (await revokeInvitation(operationOf(given), invitation.id));
    return {
      text: `${typed}: ${revoked ? 'the invitation no longer works' : 'has no open invitation'}`,
      data: { email: typed, revoked },
      failed: !revoked,
    };
  },
};

const operatorsList: StoreCommand = {
  usage: 'operators list',
  summary: 'list the operators with their roles',
  example: 'operators list',
  async run({ store }) {
    const operators = await describeOperators(store);
    const rows = operators.map(({ id, email, role, second_step }) => [
      id,
      email,
      role,
      second_step ? '' : 'no authenticator',
    ]);
    return {
      text:
        inColumns(rows) || 'There are no operators. Invite the first: vestibule operators invite EMAIL --role owner',
      data: { operators },
    };
  },
};

const outcomes = {
  'no operator': 'not an operator',
  'last owner': 'the last owner: make someone else an owner first',
} as const;

const operatorsRole: AccountCommand = {
  usage: 'operators role WHO --role ROLE',
  summary: 'change the role of an operator immediately',
  example: 'operators role anna@example.com --role support',
  options: { ...roleOption, ...reasonOption },
  async runOn(account, given) {
    const role = readRole<OperatorRole>(given.options, operatorRoles);
    const outcome = await changeRole(operationOf(given), { account, role });
    return outcome === 'changed'
      ? { text: `${account.email}: ${role}`, data: { id: account.id, role } }
      : failed(account, outcomes[outcome]);
  },
};

const operatorsRemove: AccountCommand = {
  usage: 'operators remove WHO',
  summary: 'make an operator an ordinary user immediately; the account stays',
  example: 'operators remove anna@example.com --reason "left the team"',
  options: reasonOption,
  async runOn(account, given) {
    const outcome = await removeOperator(operationOf(given), account);
    return outcome === 'changed'
      ? { text: `${account.email}: no longer an operator`, data: { id: account.id, role: null } }
      : failed(account, outcomes[outcome]);
  },
};

const failed = ({ id, email }: { id: string; email: string }, error: string): CommandResult => ({
  text: `${email}: ${error}`,
  data: { id, error },
  failed: true,
});

const longestName = 60;

const operatorKeysAdd: StoreCommand = {
  usage: 'keys-for-operators add NAME --role ROLE',
  summary: 'create a key for the management API; it is printed once',
  example: 'keys-for-operators add helpdesk --role support --days 90 --from 203.0.113.0/24',
  options: {
    role: { type: 'string', value: 'ROLE', help: keyRoles.join(', ') },
    days: { type: 'string', value: 'N', help: 'days until it expires; 1 to 365, usually 90' },
    from: { type: 'string', multiple: true, value: 'RANGE', help: 'only from these addresses, in CIDR notation' },
    ...reasonOption,
  },
  async run(given) {
    const { positionals, options, now } = given;
    const name = positionals.join(' ').trim();
    if (name === '' || name.length > longestName)
      throw new UsageError(`keys-for-operators add NAME --role ROLE: a name of up to ${longestName} characters`);
    const role = readRole(options, keyRoles);
    const kept = readNumber(options, 'days', { to: longestKeyLife / days(1), usual: 90 });
    const addresses = (options.from ?? []) as readonly string[];
    const wrong = addresses.find((range) => !isAddressRange(range));
    if (wrong !== undefined)
      throw new UsageError(`--from RANGE: ${wrong} is no address, and no range such as 203.0.113.0/24`);
    const expiresAt = now + days(kept);
    const { id, key } = await addOperatorKey(operationOf(given), { name, role, addresses, expiresAt });
    return {
      text: `${key}\nThis key (${id}) is shown only now, and expires at ${iso(expiresAt)}.`,
      data: { id, key, role, expires_at: iso(expiresAt) },
    };
  },
};

const operatorKeysList: StoreCommand = {
  usage: 'keys-for-operators list',
  summary: 'list the keys for the management API, with their last use',
  example: 'keys-for-operators list',
  async run({ store, now }) {
    const keys = (await describeKeys(store)).map((key) => ({
      ...key,
      works: key.revoked_at === null && Date.parse(key.expires_at) > now,
    }));
    const rows = keys.map(({ id, name, role, addresses, expires_at, last_used_at, works }) => [
      id,
      name,
      role,
      addresses.join(' ') || 'any address',
      works ? `until ${expires_at}` : 'revoked or expired',
      last_used_at === null ? 'never used' : `used ${last_used_at}`,
    ]);
    return { text: inColumns(rows) || 'There are no keys.', data: { keys } };
  },
};

const operatorKeysRevoke: StoreCommand = {
  usage: 'keys-for-operators revoke ID',
  summary: 'revoke a key for the management API immediately',
  words: 'one id',
  example: 'keys-for-operators revoke 8a6e0804-2bd0-4672-b79d-d97027f9071a --reason "leaked"',
  options: reasonOption,
  async run(given) {
    const [id = ''] = given.positionals;
    const revoked = await revokeOperatorKey(operationOf(given), id);
    return revoked
      ? { text: `${id}: revoked`, data: { id, revoked } }
      : { text: `${id}: no such key that works`, data: { id, revoked }, failed: true };
  },
};

export const operatorCommands = [
  operatorsInvite,
  operatorsInvitations,
  operatorsRevoke,
  operatorsList,
  operatorsRole,
  operatorsRemove,
  operatorKeysAdd,
  operatorKeysList,
  operatorKeysRevoke,
];
