import type { BodyRead } from '../../../contract/endpoint.ts';
import { refuse } from '../../../contract/failures.ts';
import { hours, iso, isoOrNull } from '../../../contract/units.ts';
import { speakAnswer } from '../../../phone-calls/providers/twilio.ts';
import { isMacOfCode } from '../../../security/macs.ts';
import type { Service } from '../../../server/service.ts';
import type { Owner } from '../../../store/access/session-owner.ts';
import { type AccountsTable, lockAndFindAccount } from '../../../store/accounts/accounts.ts';
import type { Store, StoreTransaction } from '../../../store/database.ts';
import type { CallAnswer } from '../../contract/alarm-channels.ts';
import { isMoment } from '../../contract/alarm-kinds.ts';
import {
  type AlarmMessagesTable,
  messageCalled,
  messagesOf,
  noteAnswer,
  supersede,
  superseded,
} from '../../store/alarm-messages.ts';
import { alarmPlanOf } from '../../store/alarm-plans.ts';
import { countMembers, membersOf, rulesOfMembers } from '../../store/incident-members.ts';
import {
  changeIncident as change,
  countUnseen,
  type IncidentsTable,
  incidentOf,
  incidentsOf,
  judgeSoon,
  lockIncident,
  openIncidentsOf,
  seeIncident,
} from '../../store/incidents.ts';
import { readAllNotifications } from '../../store/notifications.ts';
import { answerPurpose } from '../channels/phone.ts';
import { acknowledgedFor, endsAfter } from './decide-incidents.ts';
import type { Incident, IncidentDetails } from './incidents.contract.ts';
import * as contract from './incidents.contract.ts';

/** Describes the newest incidents of an account. */
export async function describeIncidents(store: Store, accountId: string) {
  const incidents: Incident[] = [];
  for (const incident of await incidentsOf(store, { accountId, limit: contract.incidentsShown }))
    incidents.push(await describe(store, incident));
  return { incidents, unseen: await countUnseen(store, accountId) };
}

async function describe(store: Store, incident: IncidentsTable): Promise<Incident> {
  const { id, kind, tag, address } = incident;
  const counts = await countMembers(store, id);
  const [first] = await membersOf(store, { incidentId: id, limit: 1 });
  const isSettling = incident.ended_at === null && counts.open === 0 && !isMoment(kind);
  return {
    ...{ id, kind, tag, address },
    began_at: iso(incident.began_at),
    ended_at: isoOrNull(incident.ended_at),
    ends_at: isSettling ? iso((counts.back_at ?? 0) + endsAfter(incident)) : null,
    acknowledged_at: isoOrNull(incident.acknowledged_at),
    acknowledged_until: isoOrNull(incident.acknowledged_at && incident.acknowledged_at + acknowledgedFor),
    seen_at: isoOrNull(incident.seen_at),
    unstable: incident.unstable === 1,
    first: first?.name ?? '',
    devices: counts.total,
    open: counts.open,
  };
}

interface Settling {
  readonly accountId: string;
  /** Incidents that a device keeps open. */
  readonly kept: readonly { readonly id: string }[];
  readonly now: number;
}

/** Describes the open incidents whose devices are all back: each ends, unless it happens again. */
export async function describeSettling(store: Store, { accountId, kept, now }: Settling) {
  const open = await openIncidentsOf(store, accountId);
  const settling = open.filter(({ id, kind }) => !isMoment(kind) && !kept.some((incident) => incident.id === id));
  return Promise.all(
    settling.map(async (incident) => {
      const { id, kind, unstable, first, devices, ends_at } = await describe(store, incident);
      return { id, kind, unstable, first, devices, ends_at: ends_at ?? iso(now + endsAfter(incident)) };
    }),
  );
}

interface OwnIncident {
  readonly accountId: string;
  readonly id: string;
}

/** Describes an incident with everything that happened. Refuses an id of another account. */
export async function describeIncident(store: Store, own: OwnIncident): Promise<IncidentDetails> {
  const incident = await incidentOf(store, own);
  if (!incident) throw refuse(contract.readIncident, 'not_found');
  const [members, ids, { rules }] = await Promise.all([
    membersOf(store, { incidentId: own.id, limit: contract.membersShown }),
    rulesOfMembers(store, own.id),
    alarmPlanOf(store, own.accountId),
  ]);
  const known = rules.filter(({ id }) => ids.includes(id));
  const isRemoved = ids.some((id) => id !== '' && !known.some((rule) => rule.id === id));
  return {
    ...(await describe(store, incident)),
    note: incident.note,
    rules: [...known, ...(isRemoved ? [null] : [])],
    members: members.map(({ computer_id: id, name, removed, since, back_at, end_value }) => ({
      ...{ id, name, removed, end_value },
      since: iso(since),
      back_at: isoOrNull(back_at),
    })),
    messages: (await messagesOf(store, own.id)).map((message) => ({
      at: iso(message.sent_at ?? message.created_at),
      channel: message.channel,
      event: message.event,
      recipient: message.recipient,
      state: stateOf(message),
      answer: message.answer,
      error: message.last_error === superseded ? null : message.last_error,
    })),
  };
}

function stateOf({
  sent_at,
  gave_up_at,
  last_error,
}: AlarmMessagesTable): IncidentDetails['messages'][number]['state'] {
  if (sent_at !== null) return 'sent';
  if (gave_up_at === null) return 'waiting';
  return last_error === superseded ? 'superseded' : 'failed';
}

interface IncidentRequest {
  readonly params: { readonly id: string };
  readonly body: BodyRead<typeof contract.changeIncident>;
}

/** Acknowledges, marks as seen or notes. Whoever does one of the others has also seen it. */
export async function changeIncident(
  trx: StoreTransaction,
  { accountId, at }: Owner,
  { params: { id }, body: { acknowledged, note } }: IncidentRequest,
): Promise<OwnIncident> {
  const incident = await lockIncident(trx, { id, accountId });
  if (!incident) throw refuse(contract.changeIncident, 'not_found');
  await see(trx, { id, accountId, at });
  if (acknowledged) await acknowledge(trx, incident, at);
  if (acknowledged === false && incident.ended_at === null) await change(trx, id, { acknowledged_at: null });
  if (note !== undefined) await change(trx, id, { note });
  await judgeSoon(trx, { id, now: at });
  return { accountId, id };
}

/** Whoever opens or acknowledges an incident has read its notifications. */
async function see(trx: StoreTransaction, { id, accountId, at }: OwnIncident & { readonly at: number }): Promise<void> {
  await seeIncident(trx, { id, at });
  await readAllNotifications(trx, { accountId, incidentId: id, at });
}

/** One that is over needs no acknowledgment, and its end is told once. */
async function acknowledge(trx: StoreTransaction, incident: IncidentsTable, at: number): Promise<void> {
  const { id, account_id: accountId, ended_at, acknowledged_at } = incident;
  if (ended_at !== null || acknowledged_at !== null) return;
  await change(trx, id, { acknowledged_at: at });
  await supersede(trx, { accountId, incidentId: id, at });
}

interface CallReport {
  /** Of the message. */
  readonly id: string;
  readonly proof: string;
  /** The key that was pressed; empty without one. */
  readonly digits: string;
  /** Of the call (Twilio's `CallStatus`). */
  readonly status: string;
}

/**
 * Acknowledges the incident of a call if the key was 1, keeps what became of the call, and returns what it says then. Only
 * the provider of the call knows the proof.
 */
export async function answerCall(service: Service, { id, proof, digits, status }: CallReport): Promise<string> {
  const { store, keyring, now, callTexts } = service;
  const isProven = isMacOfCode(keyring.calls, proof, { id, code: answerPurpose });
  const isKey = digits === '1';
  const account = isProven
    ? await store.transaction().execute((trx) => reportCall(trx, { id, at: now(), isKey, status }))
    : undefined;
  if (!account || digits === '') return speakAnswer('en', '');
  const say = await callTexts.words(account.locale);
  return speakAnswer(account.locale, say(isKey ? 'mail.incident.pressed' : 'mail.incident.not_pressed'));
}

/** How long after a call its key counts. */
const answeredWithin = hours(1);

/** A mailbox also answers, so only a key acknowledges. */
const answersByStatus: Readonly<Record<string, CallAnswer>> = {
  ...{ completed: 'answered', busy: 'unanswered', 'no-answer': 'unanswered' },
  ...{ failed: 'unanswered', canceled: 'unanswered' },
};

interface ReportedCall {
  readonly id: string;
  readonly at: number;
  readonly isKey: boolean;
  readonly status: string;
}

async function reportCall(
  trx: StoreTransaction,
  { id, at, isKey, status }: ReportedCall,
): Promise<AccountsTable | undefined> {
  const message = await messageCalled(trx, id);
  if (!message || at - message.created_at > answeredWithin) return undefined;
  const account = await lockAndFindAccount(trx, message.account_id);
  if (!account) return undefined;
  const answer = isKey ? 'acknowledged' : answersByStatus[status];
  if (answer) await noteAnswer(trx, { id, answer });
  // A test has no incident, and succeeds.
  if (!isKey || message.incident_id === null) return account;
  const incident = await lockIncident(trx, { id: message.incident_id, accountId: account.id });
  if (!incident) return account;
  await see(trx, { id: incident.id, accountId: account.id, at });
  await acknowledge(trx, incident, at);
  return account;
}
