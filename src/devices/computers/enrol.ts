import { createHmac, randomInt } from 'node:crypto';
import { repeatedWithin } from '../../contract/endpoint.ts';
import { type Refusing, refuse } from '../../contract/failures.ts';
import { enqueueBatched } from '../../outbox/enqueue-email.ts';
import { randomSecret, sha256 } from '../../security/macs.ts';
import type { Service } from '../../server/service.ts';
import { lockSignedInAccount } from '../../store/access/session-owner.ts';
import { findAccount, lockAccountRow } from '../../store/accounts/accounts.ts';
import type { Store, StoreTransaction } from '../../store/database.ts';
import type { Visitor } from '../../store/visitor.ts';
import { recordEvent } from '../../store/webhooks/record-event.ts';
import * as contract from '../contract/computers.ts';
import type { DeviceKind } from '../contract/record-kinds.ts';
import {
  addComputer,
  type ComputersTable,
  countComputers,
  enrolmentLifetime,
  enrolments,
  findComputerByToken,
} from '../store/computers.ts';
import { historyWithHeartbeat, withHeartbeat } from '../store/heartbeat-history.ts';
import { notify } from '../store/notifications.ts';
import * as deviceContract from './device.contract.ts';
import { accountOfKey, isEnrolmentKey, useKey } from './enrolment-keys.ts';
import { countEnrolment, type EnrolmentRequest, proveIdentityAgain } from './enrolment-request.ts';
import { agentsPath, hasExecutables } from './published-agents.ts';

/**
 * Creates a code that adds one computer. A computer stays in the account for good, so a browser left open gets no code
 * without the password. Earlier codes stay valid: someone may be typing one right now. `lifetime` in milliseconds.
 */
export async function requestEnrolment(service: Service, request: EnrolmentRequest) {
  const { accountId, sessionId } = request;
  const { store, now } = service;
  await proveIdentityAgain(service, contract.requestEnrolment, request);
  await countEnrolment(service, contract.requestEnrolment, accountId);
  const code = newEnrolmentCode();
  await store.transaction().execute(async (trx) => {
    const at = now();
    await lockSignedInAccount(trx, { endpoint: contract.requestEnrolment, accountId, sessionId, now: at });
    await requireRoom(trx, {
      endpoint: contract.requestEnrolment,
      accountId,
      limit: service.config.COMPUTERS_PER_ACCOUNT,
    });
    await enrolments.add(trx, { code_hash: enrolmentHash(code), account_id: accountId, created_at: at });
  });
  return { code, lifetime: enrolmentLifetime };
}

interface ComputerLimit {
  readonly endpoint: Refusing<'computer_limit_reached'>;
  readonly accountId: string;
  readonly limit: number;
}

/** Throws `computer_limit_reached` if the account has as many computers as it may have. Lock the account's row before. */
async function requireRoom(trx: StoreTransaction, { endpoint, accountId, limit }: ComputerLimit): Promise<void> {
  if ((await countComputers(trx, accountId)) >= limit) throw refuse(endpoint, 'computer_limit_reached', { limit });
}

interface EnrolmentAttempt {
  readonly code: string;
  readonly attempt?: string | undefined;
  readonly name: string;
  readonly platform: string;
  readonly kind?: DeviceKind | undefined;
  readonly visitor: Visitor;
}

/**
 * Adds the computer that presents a valid code or key, once; a repeated request of the same agent gets the same computer.
 * Refuses any other code with `enrolment_invalid`, and a key also with the reason. At the limit of the account, both stay
 * valid: its owner may remove a computer.
 */
export async function enrol(
  service: Service,
  { code, attempt, name, platform, kind = 'computer', visitor }: EnrolmentAttempt,
) {
  const now = service.now();
  const id = randomSecret(128);
  const isKey = isEnrolmentKey(code);
  const codeHash = isKey ? sha256(code) : enrolmentHash(code);
  const tokens = deviceTokens(service, { codeHash, attempt });
  const [token] = tokens;
  const endpoint = deviceContract.enrol;
  const enrolled = await service.store.transaction().execute(async (trx) => {
    const owner = isKey
      ? await accountOfKey(trx, code)
      : (await enrolments.use(trx, { code_hash: codeHash }, now))?.account_id;
    if (owner !== undefined) await lockAccountRow(trx, owner);
    // A key still works when a request is repeated, even by a script that comes back on the next day.
    const since = isKey ? 0 : now - repeatedWithin;
    const made = owner === undefined || isKey ? await findEnrolled(trx, { tokens, since }) : undefined;
    if (made) return { computer: made.computer.id, device_token: made.token };
    if (owner === undefined) throw refuse(endpoint, 'enrolment_invalid');
    const account = await findAccount(trx, owner);
    if (!account || account.delete_at !== null || account.locked_at !== null)
      throw refuse(endpoint, 'enrolment_invalid');
    const limit = service.config.COMPUTERS_PER_ACCOUNT;
    await requireRoom(trx, { endpoint, accountId: owner, limit });
    const tags = isKey ? await useKey(trx, { endpoint, presented: code, ip: visitor.ip, now }) : '[]';
    await addComputer(trx, {
      id,
      account_id: owner,
      name,
      tags,
      kind,
      platform,
      token_hash: sha256(token),
      created_at: now,
      last_seen_at: now,
      signs: withHeartbeat({ signs: '', last_seen_at: now }, now),
      history: historyWithHeartbeat({ signs: '', history: '', last_seen_at: now }, now),
    });
    await notify(trx, { account_id: owner, at: now, kind: 'computer_added', name, computer_id: id, own: true });
    const data = { computer: { id, name, platform } };
    await recordEvent(trx, { type: 'computer.added', accountId: owner, at: now, data });
    // Only to a proven address: otherwise someone could enter a victim's address and flood the mailbox.
    if (account.email_proven_at !== null) {
      const item = { computer: name, device: platformName(platform), ip: visitor.ip, when: now };
      await enqueueBatched(trx, { notice: 'computer_added', item, account, at: now });
    }
    return { computer: id, device_token: token };
  });
  service.outbox.wake();
  return enrolled;
}

/** Crockford's base 32: no letter looks like a digit. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** 60 random bits. */
const length = 12;

/** A code that a person can type: `7K2M-QF8R-0XTB`. */
function newEnrolmentCode(): string {
  const letters = Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
  return letters.replace(/(?<=.)(?=(?:.{4})+$)/g, '-');
}

/** The hash that identifies a code; it ignores case, separators and look-alike characters. */
const enrolmentHash = (typed: string): string =>
  sha256(
    typed
      .toUpperCase()
      .replace(/[^\dA-Z]/g, '')
      .replaceAll('O', '0')
      .replace(/[IL]/g, '1'),
  );

interface Enrolment {
  readonly codeHash: string;
  /** Idempotency key of the agent. */
  readonly attempt: string | undefined;
}

/**
 * The token of a computer that enrols, by each of our keys, the newest first. A repeated enrolment computes the same one:
 * we store only its hash. Without an attempt, it is random.
 */
const deviceTokens = (
  { keyring }: Pick<Service, 'keyring'>,
  { codeHash, attempt }: Enrolment,
): readonly [string, ...string[]] => {
  const [newest, ...older] =
    attempt === undefined
      ? []
      : keyring.deviceTokens.map((key) =>
          createHmac('sha256', key).update(`${codeHash} ${attempt}`).digest('base64url'),
        );
  return newest === undefined ? [randomSecret(256)] : [newest, ...older];
};

interface EnrolledComputer {
  readonly computer: Pick<ComputersTable, 'id' | 'account_id'>;
  readonly token: string;
}

/** The computer that the same enrolment has added since then, if any: its response may have been lost. */
async function findEnrolled(
  store: Store,
  { tokens, since }: { tokens: readonly string[]; since: number },
): Promise<EnrolledComputer | undefined> {
  for (const token of tokens) {
    const computer = await findComputerByToken(store, sha256(token));
    if (computer && computer.created_at > since) return { computer, token };
  }
  return undefined;
}

/** Path at which the service serves the agent. */
export const agentPath = '/computers/agent.mjs';

/**
 * Terminal commands (PowerShell on Windows) that add a computer with a code and install its agent as a service, and one
 * that undoes both, in every shell. Without executables of the agent, its script runs on the Node of the computer.
 */
export function commandsFor(service: Pick<Service, 'config'>, code: string) {
  const { PUBLIC_URL: publicUrl } = service.config;
  const needsNode = !hasExecutables(service);
  const end = `install ${code} --server ${publicUrl}`;
  const { unix, windows, undo } = needsNode ? withNode(publicUrl, end) : withoutNode(publicUrl, end);
  return {
    command: unix,
    commands: { linux: unix, macos: unix, windows },
    undo,
    needs_node: needsNode,
    // After the #, the code reaches no server or log if a browser opens the link.
    link: `${publicUrl}/computers/add/#${code}`,
  };
}

function withNode(publicUrl: string, end: string) {
  const file = 'vestibule-agent.mjs';
  const fetched = `-fsS -o ${file} ${publicUrl}${agentPath}`;
  return {
    unix: `curl ${fetched} && node ${file} ${end}`,
    windows: `curl.exe ${fetched}; if ($?) { node ${file} ${end} }`,
    undo: `node "$HOME/.vestibule-agent/${file}" uninstall`,
  };
}

function withoutNode(publicUrl: string, end: string) {
  const file = 'vestibule-agent';
  const from = `${publicUrl}${agentsPath}${file}`;
  return {
    unix: `curl -fsS -o ${file} "${from}-$(uname -s)-$(uname -m)" && chmod +x ${file} && ./${file} ${end}`,
    windows: `curl.exe -fsS -o ${file}.exe ${from}-Windows_NT-x86_64.exe; if ($?) { ./${file}.exe ${end} }`,
    undo: `~/.vestibule-agent/${file} uninstall`,
  };
}

const known: readonly [RegExp, string][] = [
  [/^(?:mac|darwin|os ?x)/i, 'macOS'],
  [/^win/i, 'Windows'],
  [/android/i, 'Android'],
  [/^(?:ios|ipad|iphone)/i, 'iOS'],
  [/linux|debian|ubuntu|fedora/i, 'Linux'],
];

/** A platform's name for emails. Other text is dropped: a stranger may have written it. */
const platformName = (platform: string): string => known.find(([pattern]) => pattern.test(platform))?.[1] ?? '–';
