import { sendRequest } from '../../../../browser/requests/send-request.ts';
import type { ResponseBody } from '../../../../contract/endpoint.ts';
import type { MessageId } from '../../../../messages/ids.ts';
import {
  addToGroup,
  deletePerson,
  endPersonSessions,
  exportPerson,
  lockPerson,
  type readPerson,
  removeFromGroup,
  removeSecondStep,
  resendEmails,
  resetPassword,
  unlockPerson,
  writeNote,
} from '../../people.contract.ts';
import { allowAddress } from '../../service.contract.ts';

/** A person, as the console reads them. */
export type Person = ResponseBody<typeof readPerson>;

export type ActName =
  | 'lock'
  | 'unlock'
  | 'end_sessions'
  | 'reset'
  | 'allow_address'
  | 'retry_emails'
  | 'note'
  | 'add_group'
  | 'remove_group'
  | 'remove_second_step'
  | 'export'
  | 'delete';

interface ActInput {
  readonly id: string;
  readonly reason: string | undefined;
  /** The name of a group, or the words of a note. */
  readonly text: string;
  /** For the removal of the second step. */
  readonly immediately: boolean;
  readonly signal: AbortSignal;
}

/** When something takes effect, or a file for the operator. */
interface ActResult {
  readonly deletedAt?: string;
  readonly removedAt?: string;
  readonly file?: unknown;
}

/** One thing that an operator can do for a person. */
export interface Act {
  readonly label: MessageId;
  /** What it will do. */
  readonly does: MessageId;
  readonly danger?: true;
  /** A field beside the reason. */
  readonly asks?: 'group' | 'note' | 'immediately';
  /** The act that undoes it. */
  readonly undo?: ActName;
  readonly send: (input: ActInput) => Promise<ActResult | undefined>;
}

export const acts: Readonly<Record<ActName, Act>> = {
  lock: {
    label: 'console_act.lock',
    does: 'console_act.lock_does',
    danger: true,
    undo: 'unlock',
    async send({ id, reason, signal }) {
      await sendRequest(lockPerson, { params: { id }, body: { reason }, signal });
      return undefined;
    },
  },
  unlock: {
    label: 'console_act.unlock',
    does: 'console_act.unlock_does',
    async send({ id, reason, signal }) {
      await sendRequest(unlockPerson, { params: { id }, body: { reason }, signal });
      return undefined;
    },
  },
  end_sessions: {
    label: 'console_act.end',
    does: 'console_act.end_does',
    async send({ id, reason, signal }) {
      await sendRequest(endPersonSessions, { params: { id }, body: { reason }, signal });
      return undefined;
    },
  },
  reset: {
    label: 'console_act.reset',
    does: 'console_act.reset_does',
    async send({ id, reason, signal }) {
      await sendRequest(resetPassword, { params: { id }, body: { reason }, signal });
      return undefined;
    },
  },
  allow_address: {
    label: 'console_act.allow',
    does: 'console_act.allow_does',
    async send({ id, reason, signal }) {
      await sendRequest(allowAddress, { body: { who: id, reason }, signal });
      return undefined;
    },
  },
  retry_emails: {
    label: 'recovery.resend',
    does: 'console_act.retry_does',
    async send({ id, reason, signal }) {
      await sendRequest(resendEmails, { params: { id }, body: { reason }, signal });
      return undefined;
    },
  },
  note: {
    label: 'console_act.note',
    does: 'console_act.note_does',
    asks: 'note',
    async send({ id, text, reason, signal }) {
      await sendRequest(writeNote, { params: { id }, body: { text, reason }, signal });
      return undefined;
    },
  },
  add_group: {
    label: 'console_act.add_group',
    does: 'console_act.group_does',
    asks: 'group',
    undo: 'remove_group',
    async send({ id, text: group, reason, signal }) {
      await sendRequest(addToGroup, { params: { id, group }, body: { reason }, signal });
      return undefined;
    },
  },
  remove_group: {
    label: 'console_act.remove_group',
    does: 'console_act.group_does',
    asks: 'group',
    undo: 'add_group',
    async send({ id, text: group, reason, signal }) {
      await sendRequest(removeFromGroup, { params: { id, group }, body: { reason }, signal });
      return undefined;
    },
  },
  remove_second_step: {
    label: 'second_step.lost_title',
    does: 'console_act.second_step_does',
    danger: true,
    asks: 'immediately',
    async send({ id, immediately, reason, signal }) {
      const body = { immediately, reason };
      const { removal_at: removedAt } = await sendRequest(removeSecondStep, { params: { id }, body, signal });
      return immediately ? undefined : { removedAt };
    },
  },
  export: {
    label: 'console_act.export',
    does: 'console_act.export_does',
    async send({ id, reason, signal }) {
      const { data } = await sendRequest(exportPerson, { params: { id }, body: { reason }, signal });
      return { file: data };
    },
  },
  delete: {
    label: 'account.delete',
    does: 'console_act.delete_does',
    danger: true,
    async send({ id, reason, signal }) {
      const { delete_at: deletedAt } = await sendRequest(deletePerson, { params: { id }, body: { reason }, signal });
      return { deletedAt };
    },
  },
};

/** The acts that make sense for a person now. */
export const actsFor = (person: Person): readonly ActName[] => [
  person.locked_at ? 'unlock' : 'lock',
  ...(person.locked_at === null && person.wrong_passwords_lock_it_until ? (['unlock'] as const) : []),
  ...(person.sessions.length > 0 ? (['end_sessions'] as const) : []),
  'reset',
  ...(person.email_unreachable_since ? (['allow_address'] as const) : []),
  ...(person.authenticator ? (['remove_second_step'] as const) : []),
  'export',
  ...(person.delete_at ? [] : (['delete'] as const)),
];
