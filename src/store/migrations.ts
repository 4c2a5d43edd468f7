import type { Kysely } from 'kysely';
import * as frontDoor from './migrations/0001-front-door.ts';
import * as phoneCalls from './migrations/0002-phone-calls.ts';
import * as lostAnswers from './migrations/0003-lost-answers.ts';
import * as mailCodes from './migrations/0004-mail-codes.ts';
import * as provenAddresses from './migrations/0005-proven-addresses.ts';
import * as letters from './migrations/0006-letters.ts';
import * as account from './migrations/0020-account.ts';
import * as consents from './migrations/0021-consents.ts';
import * as computers from './migrations/0030-computers.ts';
import * as provenSessions from './migrations/0031-proven-sessions.ts';
import * as warnings from './migrations/0032-warnings.ts';
import * as accountLocks from './migrations/0040-account-locks.ts';
import * as emailChanges from './migrations/0050-email-changes.ts';
import * as timeZones from './migrations/0060-time-zones.ts';
import * as sharedSessions from './migrations/0061-shared-sessions.ts';
import * as unreachableAddresses from './migrations/0075-unreachable-addresses.ts';
import * as returnedLetters from './migrations/0076-returned-letters.ts';
import * as whatCallsCost from './migrations/0080-what-calls-cost.ts';
import * as recordsByKind from './migrations/0090-records-by-kind.ts';
import * as callAttempts from './migrations/0092-call-attempts.ts';
import * as registrationAttempts from './migrations/0093-registration-attempts.ts';
import * as undoRestoresProof from './migrations/0100-undo-restores-proof.ts';
import * as callsByBrowser from './migrations/0112-calls-by-browser.ts';
import * as auditLog from './migrations/0120-audit-log.ts';
import * as formerAddresses from './migrations/0121-former-addresses.ts';
import * as recordCounts from './migrations/0130-record-counts.ts';
import * as callDeliveries from './migrations/0140-call-deliveries.ts';
import * as deviceHistory from './migrations/0150-device-history.ts';
import * as alarms from './migrations/0160-alarms.ts';
import * as authentication from './migrations/0170-authentication.ts';
import * as secondStep from './migrations/0171-second-step.ts';
import * as webhooks from './migrations/0176-webhooks.ts';
import * as passkeys from './migrations/0180-passkeys.ts';
import * as clients from './migrations/0190-clients.ts';
import * as clientGrants from './migrations/0191-client-grants.ts';
import * as forwardAuth from './migrations/0196-forward-auth.ts';
import * as computerTags from './migrations/0202-computer-tags.ts';
import * as quietHours from './migrations/0203-quiet-hours.ts';
import * as alarmTagRules from './migrations/0204-alarm-tag-rules.ts';
import * as credentialSessions from './migrations/0205-credential-sessions.ts';
import * as sessionDevices from './migrations/0206-session-devices.ts';
import * as partitions from './migrations/0220-partitions.ts';
import * as pendingAuthenticators from './migrations/0221-pending-authenticators.ts';
import * as deliveryQueue from './migrations/0230-delivery-queue.ts';

export interface Migration {
  /** Runs in a transaction. On PostgreSQL it neither reads nor changes the rows of a table that can be large. */
  // biome-ignore lint/suspicious/noExplicitAny: a migration uses the tables of its time, not the current types
  up?(db: Kysely<any>): Promise<void>;
  /**
   * Runs after `up`; on PostgreSQL outside a transaction, while nodes work (`migrations/online.ts`). After an
   * interruption it runs again from its beginning.
   */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  upOnline?(db: Kysely<any>): Promise<void>;
  /** Versions that know this migration keep working after the new one. */
  readonly oldestCode: string;
}

/** Run in the order of their names, forward only: never change a released migration. */
export const migrations: Readonly<Record<string, Migration>> = {
  '0001-front-door': frontDoor,
  '0002-phone-calls': phoneCalls,
  '0003-lost-answers': lostAnswers,
  '0004-mail-codes': mailCodes,
  '0005-proven-addresses': provenAddresses,
  '0006-letters': letters,
  '0020-account': account,
  '0021-consents': consents,
  '0030-computers': computers,
  '0031-proven-sessions': provenSessions,
  '0032-warnings': warnings,
  '0040-account-locks': accountLocks,
  '0050-email-changes': emailChanges,
  '0060-time-zones': timeZones,
  '0061-shared-sessions': sharedSessions,
  '0075-unreachable-addresses': unreachableAddresses,
  '0076-returned-letters': returnedLetters,
  '0080-what-calls-cost': whatCallsCost,
  '0090-records-by-kind': recordsByKind,
  '0092-call-attempts': callAttempts,
  '0093-registration-attempts': registrationAttempts,
  '0100-undo-restores-proof': undoRestoresProof,
  '0112-calls-by-browser': callsByBrowser,
  '0120-audit-log': auditLog,
  '0121-former-addresses': formerAddresses,
  '0130-record-counts': recordCounts,
  '0140-call-deliveries': callDeliveries,
  '0150-device-history': deviceHistory,
  '0160-alarms': alarms,
  '0170-authentication': authentication,
  '0171-second-step': secondStep,
  '0176-webhooks': webhooks,
  '0180-passkeys': passkeys,
  '0190-clients': clients,
  '0191-client-grants': clientGrants,
  '0196-forward-auth': forwardAuth,
  '0202-computer-tags': computerTags,
  '0203-quiet-hours': quietHours,
  '0204-alarm-tag-rules': alarmTagRules,
  '0205-credential-sessions': credentialSessions,
  '0206-session-devices': sessionDevices,
  '0220-partitions': partitions,
  '0221-pending-authenticators': pendingAuthenticators,
  '0230-delivery-queue': deliveryQueue,
};
