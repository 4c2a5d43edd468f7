// To add a channel, such as `push`:
//
// 1. `channelFacts` in `devices/contract/alarm-channels.ts`: a line at its place between calm and loud.
// 2. `channels/push.ts`: an `AlarmChannel`. `recipient` says whom it reaches; undefined leaves the channel out, and the next
//    one takes over. `target` is the text that its own routes stored with `setChannel` (JSON, a sealed secret, or empty).
// 3. `channels/channels.ts`: a line. Then the worker, escalation, quiet hours, repetition, the timeline, the test button and
//    the failure of a channel work for it: `decide-incidents.ts` writes rows of `alarm_messages`, `deliver.ts` sends them.
// 4. Its words are those of `describeIncident` in `words.ts`: a title ("Silent: Front desk and 2 more"), lines and a link.
// 5. `send` must not throw for a failure of the receiver. `failed` marks the channel as broken, tells the owner by the next
//    channel at once, and is final for this message, and with `gone` for the channel, until a test arrives or the owner
//    sets it up again; `later` waits (429, 503, no network), at most until `tooLate`.
//    A message can be sent twice after a crash: pass on `message.id`, or declare `once` if nobody can recognize the copy.
// 6. Its setup: `channels.contract.ts`, `alarms.routes.ts` and `channel-setups.part.tsx`, in a row of `channels.part.tsx`.
import type { Service } from '../../../server/service.ts';
import type { AccountsTable } from '../../../store/accounts/accounts.ts';
import type { AlarmChannelName, AlarmMessageEvent } from '../../contract/alarm-channels.ts';
import type { IncidentMember, MemberCounts } from '../../store/incident-members.ts';
import type { IncidentsTable } from '../../store/incidents.ts';

/** What a channel needs of the service. */
export type ChannelService = Pick<
  Service,
  'store' | 'now' | 'config' | 'outbox' | 'calls' | 'callTexts' | 'messengers' | 'keyring' | 'secrets'
>;

/** An incident as messages describe it. */
export interface IncidentReport {
  readonly incident: IncidentsTable;
  readonly counts: MemberCounts;
  /** The first members, in the order in which they fell. */
  readonly members: readonly IncidentMember[];
  /** A message by another channel about it that could not be delivered: to whom, and why. */
  readonly undelivered: { readonly recipient: string; readonly why: string } | undefined;
}

export interface AlarmMessage {
  /** UUID; the same at every attempt. */
  readonly id: string;
  readonly event: AlarmMessageEvent;
  readonly turn: number;
  readonly account: AccountsTable;
  /** As the channel stored it. */
  readonly target: string;
  /** When it was decided (ms since the epoch). */
  readonly at: number;
  /** Undefined for a test. */
  readonly report: IncidentReport | undefined;
}

/** `said`: the response of the receiver or provider, which tests show. */
export type Sending =
  | { readonly state: 'sent'; readonly said?: string }
  /** Nothing arrived, and another attempt may help; `after` in milliseconds. */
  | { readonly state: 'later'; readonly after: number; readonly error: string }
  /** In English, for the timeline, without secrets. `gone`: the receiver wants no more messages. */
  | { readonly state: 'failed'; readonly error: string; readonly gone?: true };

export interface AlarmChannel {
  readonly name: AlarmChannelName;
  /** It disturbs: it brings no news but beginnings, and repeats them until somebody acknowledges. */
  readonly rings?: true;
  /** The receiver cannot recognize a copy: an attempt that ended unknown, since a node died, is not repeated. */
  readonly once?: true;
  /** It waits for the end of the owner's quiet hours. */
  readonly heedsQuietHours?: true;
  /** How many messages of all accounts each node sends at the same time. */
  readonly room: number;
  /** The operator has set it up, also for this account's number. */
  isOffered?(service: ChannelService, account: AccountsTable): boolean;
  /** Whom it reaches, as the timeline shows it; undefined if it cannot reach the owner. */
  recipient(owner: { readonly account: AccountsTable; readonly target: string }): string | undefined;
  send(service: ChannelService, message: AlarmMessage, signal: AbortSignal): Promise<Sending>;
}
