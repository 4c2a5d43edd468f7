import { sendRequest } from '../../../../browser/requests/send-request.ts';
import type { ResponseBody } from '../../../../contract/endpoint.ts';
import type { BulkAct } from '../../../../contract/operators.ts';
import type { MessageId } from '../../../../messages/ids.ts';
import {
  addToGroup,
  changeAddress,
  changePerson,
  deletePerson,
  endPersonSessions,
  exportPerson,
  lockPerson,
  type readPerson,
  removeFromGroup,
  removePersonPasskey,
  removeSecondStep,
  resendEmails,
  resetPassword,
  unlockPerson,
  writeNote,
} from '../../people.contract.ts';
import { allowAddress } from '../../service.contract.ts';
import type { Sending } from '../layout/act-dialog.part.tsx';
import type { Details } from './details.part.tsx';

/** A person, as the console reads them. */
export type Person = ResponseBody<typeof readPerson>;

export type UndoName = 'unlock' | 'edit' | 'add_group' | 'remove_group';

export interface ActInput {
  readonly id: string;
  readonly reason: string | undefined;
  /** The name of a group, the id of a passkey, or the words of a note. */
  readonly text: string;
  /** The value of another field. */
  readonly typed: (name: string) => string;
  /** The details that changed. */
  readonly details: Partial<Details>;
  readonly sending: Sending;
}

/** When something takes effect, where an email goes, how many were sent again, or a file for the operator. */
export interface ActResult {
  readonly resent?: number;
  readonly sentTo?: string;
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
  readonly asks?: 'group' | 'note' | 'immediately' | 'details' | 'email';
  /** The act that undoes it. */
  readonly undo?: UndoName;
  readonly send: (input: ActInput) => Promise<ActResult | undefined>;
}

/** An act that needs no more than a reason. */
const sending =
  (endpoint: typeof lockPerson | typeof unlockPerson | typeof endPersonSessions | typeof resetPassword) =>
  async ({ id, reason, sending }: ActInput) => {
    await sendRequest(endpoint, { params: { id }, body: { reason }, ...sending });
    return undefined;
  };

const allActs = {
  lock: {
    label: 'console_act.lock',
    does: 'console_act.lock_does',
    danger: true,
    undo: 'unlock',
    send: sending(lockPerson),
  },
  unlock: {
    label: 'console_act.unlock',
    does: 'console_act.unlock_does',
    send: sending(unlockPerson),
  },
  end_sessions: {
    label: 'console_act.end',
    does: 'console_act.end_does',
    send: sending(endPersonSessions),
  },
  reset: {
    label: 'console_act.reset',
    does: 'console_act.reset_does',
    send: sending(resetPassword),
  },
  edit: {
    label: 'console_act.edit',
    does: 'console_act.edit_does',
    asks: 'details',
    undo: 'edit',
    async send({ id, details, reason, sending }) {
      await sendRequest(changePerson, { params: { id }, body: { ...details, reason }, ...sending });
      return undefined;
    },
  },
  change_email: {
    label: 'account.change_email',
    does: 'console_act.email_does',
    asks: 'email',
    async send({ id, typed, reason, sending }) {
      const email = typed('email');
      await sendRequest(changeAddress, { params: { id }, body: { email, reason }, ...sending });
      return { sentTo: email };
    },
  },
  allow_address: {
    label: 'console_act.allow',
    does: 'console_act.allow_does',
    async send({ id, reason, sending }) {
      await sendRequest(allowAddress, { body: { who: id, reason }, ...sending });
      return undefined;
    },
  },
  retry_emails: {
    label: 'console_act.retry',
    does: 'console_act.retry_does',
    async send({ id, reason, sending }) {
      const { retried, invitation, confirmation } = await sendRequest(resendEmails, {
        params: { id },
        body: { reason },
        ...sending,
      });
      return { resent: retried.length + (invitation || confirmation ? 1 : 0) };
    },
  },
  note: {
    label: 'console_act.note',
    does: 'console_act.note_does',
    asks: 'note',
    async send({ id, text, reason, sending }) {
      await sendRequest(writeNote, { params: { id }, body: { text, reason }, ...sending });
      return undefined;
    },
  },
  add_group: {
    label: 'console_act.add_group',
    does: 'console_act.group_does',
    asks: 'group',
    undo: 'remove_group',
    async send({ id, text: group, reason, sending }) {
      await sendRequest(addToGroup, { params: { id, group }, body: { reason }, ...sending });
      return undefined;
    },
  },
  remove_group: {
    label: 'console_act.remove_group',
    does: 'console_act.group_does',
    asks: 'group',
    undo: 'add_group',
    async send({ id, text: group, reason, sending }) {
      await sendRequest(removeFromGroup, { params: { id, group }, body: { reason }, ...sending });
      return undefined;
    },
  },
  remove_passkey: {
    label: 'security.passkey_remove',
    does: 'console_act.passkey_does',
    danger: true,
    async send({ id, text: passkey, reason, sending }) {
      await sendRequest(removePersonPasskey, { params: { id, passkey }, body: { reason }, ...sending });
      return undefined;
    },
  },
  remove_second_step: {
    label: 'second_step.lost_title',
    does: 'console_act.second_step_does',
    danger: true,
    asks: 'immediately',
    async send({ id, typed, reason, sending }) {
      const immediately = typed('immediately') !== '';
      const body = { immediately, reason };
      const { removal_at: removedAt } = await sendRequest(removeSecondStep, { params: { id }, body, ...sending });
      return immediately ? undefined : { removedAt };
    },
  },
  export: {
    label: 'console_act.export',
    does: 'console_act.export_does',
    async send({ id, reason, sending }) {
      const { data } = await sendRequest(exportPerson, { params: { id }, body: { reason }, ...sending });
      return { file: data };
    },
  },
  delete: {
    label: 'account.delete',
    does: 'console_act.delete_does',
    danger: true,
    async send({ id, reason, sending }) {
      const { delete_at: deletedAt } = await sendRequest(deletePerson, {
        params: { id },
        body: { reason },
        ...sending,
      });
      return { deletedAt };
    },
  },
} satisfies Record<string, Act>;

export type ActName = keyof typeof allActs;

export const acts: Readonly<Record<ActName, Act>> = allActs;

/** The act that is done for several people under another name. */
export const actOf = (act: BulkAct): Act => acts[act === 'resend' ? 'retry_emails' : act];

/** The acts that make sense for a person now. */
export const actsFor = (person: Person): readonly ActName[] => [
  person.locked_at ? 'unlock' : 'lock',
  ...(person.locked_at === null && person.wrong_passwords_lock_it_until ? (['unlock'] as const) : []),
  ...(person.sessions.length > 0 ? (['end_sessions'] as const) : []),
  'reset',
  'edit',
  'change_email',
  ...(person.email_unreachable_since ? (['allow_address'] as const) : []),
  ...(person.authenticator ? (['remove_second_step'] as const) : []),
  'export',
  ...(person.delete_at ? [] : (['delete'] as const)),
];
