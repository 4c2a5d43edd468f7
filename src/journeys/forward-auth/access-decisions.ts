import { seconds } from '../../contract/units.ts';
import { BoundedMap } from '../../runtime/bounded-map.ts';
import { readForwardAuthCookie } from '../../security/tokens.ts';
import type { Service } from '../../server/service.ts';
import { ownerOf } from '../../store/access/session-owner.ts';
import type { AccountsTable } from '../../store/accounts/accounts.ts';
import { admitsGroups, groupsOf } from '../../store/applications/account-groups.ts';
import { type Client, findClient, findConnection } from '../../store/applications/clients.ts';
import { withinBudget } from '../../store/time-budget.ts';
import type { Origin } from '../../store/visitor.ts';

/** How long (ms) an ended session, a lock or a lost group may go unnoticed. */
const rememberedFor = seconds(3);
/** The most entries of each kind, so that memory stays bounded. */
const maxRemembered = 20_000;

/** The headers without an identity; a proxy that copies them overwrites those of the visitor. */
export const noIdentity = { 'x-account-id': '', 'x-account-email': '', 'x-account-name': '', 'x-account-groups': '' };

/** The identity that the application's proxy passes on; always all four headers. */
type IdentityHeaders = Readonly<Record<keyof typeof noIdentity, string>>;

/** `signedOut`: the session has ended; `noAccess`: the account is in no group that the client admits. */
type AccessDecision = IdentityHeaders | 'signedOut' | 'noAccess';

interface Admitted {
  readonly account: AccountsTable;
  readonly groups: readonly string[];
}

type Deps = Pick<Service, 'store' | 'now' | 'keyring' | 'timeBudget' | 'scheduler'>;

/** Decides about requests to protected applications. Remembers each decision for seconds. */
export type AccessDecisions = ReturnType<typeof openAccessDecisions>;

export interface PresentedCookie {
  readonly client: Client;
  readonly origin: string;
  readonly text: string;
}

export function openAccessDecisions({ store, now, keyring, timeBudget, scheduler }: Deps) {
  const clients = remember<Client | undefined>(now);
  const decisions = remember<AccessDecision | undefined>(now);

  const sessionIn = ({ client, origin, text }: PresentedCookie): string | undefined =>
    readForwardAuthCookie(keyring.forwardAuth, { client: client.id, origin, text });

  async function admit(client: Client, sessionId: string): Promise<Admitted | 'signedOut' | 'noAccess'> {
    const account = await ownerOf(store, { id: sessionId, now: now() });
    if (!account) return 'signedOut';
    const groups = await groupsOf(store, account.id);
    return admitsGroups(client, groups) ? { account, groups } : 'noAccess';
  }

  async function decide(client: Client, sessionId: string): Promise<AccessDecision | undefined> {
    const admitted = await admit(client, sessionId);
    if (typeof admitted === 'string') return admitted;
    // Its owner has disconnected the application. Not remembered, because the way back in is a redirect.
    const connection = await findConnection(store, { accountId: admitted.account.id, clientId: client.id });
    return connection && identityOf(client, admitted);
  }

  return {
    /** A look-up waits for the turn of `from`; undefined for a request that had its turn. */
    client: (id: string, from: Origin | undefined): Promise<Client | undefined> =>
      clients(id, {
        takeTurn: () => from && scheduler.begin(from),
        find: () => withinBudget(() => findClient(store, id), timeBudget),
      }),
    /** The session that such a cookie names, ended or not; undefined if it is forged. */
    sessionIn,
    /** The account of a session, if the client admits it now. */
    admit,
    /** Decides by the cookie on the application's host. A look-up waits for the turn of `from`. */
    async check(presented: PresentedCookie, from: Origin): Promise<AccessDecision> {
      const { client, origin, text } = presented;
      // The MAC is verified each time, so that forged cookies never fill the memory.
      const sessionId = sessionIn(presented);
      if (sessionId === undefined) return 'signedOut';
      const decision = await decisions(`${client.id} ${origin} ${text}`, {
        takeTurn: () => scheduler.begin(from),
        find: () => withinBudget(() => decide(client, sessionId), timeBudget),
      });
      return decision ?? 'signedOut';
    },
  };
}

/**
 * Leaves out an unproven address, which the application may take for the owner's, and groups that it does not ask for:
 * many servers accept no more than 8 kB of headers.
 */
const identityOf = (
  client: Client,
  { account: { id, email, email_proven_at, name }, groups }: Admitted,
): IdentityHeaders => ({
  'x-account-id': id,
  'x-account-email': email_proven_at === null ? '' : headerText(email),
  'x-account-name': headerText(name),
  'x-account-groups': groups.filter((group) => client.groups.length === 0 || client.groups.includes(group)).join(','),
});

interface LookUp<Value> {
  takeTurn(): Promise<void> | undefined;
  find(): Promise<Value>;
}

interface Remembered<Value> {
  readonly value: Promise<Value>;
  readonly until: number;
  isFound: boolean;
}

/**
 * Remembers values for seconds, but neither errors nor that there is no value: any text may be looked up. Simultaneous
 * callers share one look-up after each had its turn, so that no caller depends on the turn of a stranger.
 */
function remember<Value>(now: () => number) {
  const known = new BoundedMap<string, Remembered<Value>>(maxRemembered);
  const current = (key: string): Remembered<Value> | undefined => {
    const found = known.get(key);
    // A clock that was set back must not extend the time.
    return found && now() < found.until && now() >= found.until - rememberedFor ? found : undefined;
  };
  const lookUp = (key: string, find: () => Promise<Value>): Promise<Value> => {
    known.delete(key);
    const remembered = { value: find(), until: now() + rememberedFor, isFound: false };
    known.set(key, remembered);
    const forget = () => known.get(key) === remembered && known.delete(key);
    remembered.value.then((value) => {
      remembered.isFound = true;
      if (value === undefined) forget();
    }, forget);
    return remembered.value;
  };
  return async (key: string, { takeTurn, find }: LookUp<Value>): Promise<Value> => {
    const found = current(key);
    if (found?.isFound) return found.value;
    await takeTurn();
    return current(key)?.value ?? lookUp(key, find);
  };
}

/**
 * A text for a header, which is ASCII: `%` and everything but visible ASCII and inner spaces is percent-encoded UTF-8,
 * so that `decodeURIComponent` restores it.
 */
export const headerText = (text: string): string =>
  text.toWellFormed().replace(/^\s|\s$|[^ -~]|%/gu, (character) => {
    const encoded = encodeURIComponent(character);
    return encoded === character ? `%${character.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}` : encoded;
  });
