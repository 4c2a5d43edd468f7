import { useState } from 'react';
import { Text } from '../../../../browser/language/text.tsx';
import { useTimes } from '../../../../browser/language/times.ts';
import { saveFile } from '../../../../browser/platform/save-file.ts';
import type { ProfileField } from '../../../../contract/account.ts';
import { knownLanguage } from '../../../../contract/languages.ts';
import { isRoleEnough, type OperatorRole } from '../../../../contract/operators.ts';
import type { MessageId } from '../../../../messages/ids.ts';
import { Notice } from '../../../../ui/feedback/feedback.tsx';
import { Checkbox } from '../../../../ui/fields/choice-fields.tsx';
import { TextField } from '../../../../ui/fields/field.tsx';
import { profileTexts } from '../../../../ui/fields/profile-fields.tsx';
import { noteLength } from '../../people.contract.ts';
import { ActDialog, LinesField, type Sending } from '../layout/act-dialog.part.tsx';
import { type ActInput, type ActName, type ActResult, acts, type Person, type UndoName } from './acts.part.ts';
import { changedDetails, type Details, DetailsFields } from './details.part.tsx';

/** An act that an operator has begun. */
export interface BegunAct {
  readonly name: ActName;
  /** The group or the passkey that it is about. */
  readonly about?: { readonly id: string; readonly name: string };
}

interface PersonActProps {
  person: Pick<Person, 'id' | 'name' | 'email' | ProfileField | 'locale' | 'locked_at'>;
  act: BegunAct;
  role: OperatorRole;
  /** Called once the act is done, or undone. */
  done: () => void;
  close: () => void;
}

const detailsOf = (person: PersonActProps['person']): Details => ({
  ...{ name: person.name, ...profileTexts(person), locale: knownLanguage(person.locale) },
});

/** Names of the fields that must not be empty. */
const required = { group: ['text'], note: ['text'], details: ['name'], email: ['email'], immediately: [] } as const;

/** What is said after an act was undone by another one. */
const undone: Readonly<Record<UndoName, MessageId>> = {
  unlock: 'console_action.account_unlocked',
  edit: 'account.did_account_changed',
  add_group: 'console_action.group_added',
  remove_group: 'console_action.group_removed',
};

/** The dialog of an act for a person. */
export function PersonAct({ person, act, role, done, close }: PersonActProps) {
  const { name, about } = act;
  const { label, does, danger, asks, undo, send } = acts[name];
  // The page reads the person again once it is done.
  const [stored] = useState(() => detailsOf(person));
  const [sent, setSent] = useState<Omit<ActInput, 'sending'>>();
  async function undoIt(sending: Sending): Promise<void> {
    if (!undo || !sent) return;
    const changed = Object.keys(sent.details) as (keyof Details)[];
    const details = Object.fromEntries(changed.map((field) => [field, stored[field]]));
    await acts[undo].send({ ...sent, details, sending });
    done();
  }
  return (
    <ActDialog
      label={label}
      does={does}
      danger={danger}
      whom={
        <>
          <bdi>{person.name}</bdi> <bdi dir="ltr">{person.email}</bdi> {about && <bdi>{about.name}</bdi>}
        </>
      }
      required={asks && !about ? required[asks] : []}
      fields={(field) => (
        <>
          {name === 'reset' && person.locked_at && <Notice kind="info" text="console_act.reset_locked" />}
          {/* The server names the field of a group after its path. */}
          {asks === 'group' && !about && (
            <TextField
              field={{ ...field('text'), error: field('text').error ?? field('group').error }}
              label="console_act.group"
              autoComplete="off"
              spellCheck={false}
            />
          )}
          {asks === 'note' && <LinesField field={field('text')} label="incidents.note" max={noteLength} />}
          {asks === 'details' && <DetailsFields field={field} first={stored} />}
          {asks === 'email' && (
            <TextField field={field('email')} label="label.email_new" autoComplete="off" dir="ltr" spellCheck={false} />
          )}
          {asks === 'immediately' && isRoleEnough(role, 'owner') && (
            <Checkbox field={{ ...field('immediately'), value: false }} label="console_act.immediately" />
          )}
        </>
      )}
      send={async (typed, sending) => {
        const text = about?.id ?? typed('text');
        const details = asks === 'details' ? changedDetails(stored, typed) : {};
        if (asks === 'details' && Object.keys(details).length === 0) {
          close();
          return undefined;
        }
        const input = { id: person.id, reason: typed('reason') || undefined, text, typed, details };
        const result = await send({ ...input, sending });
        setSent(input);
        if (result?.file) {
          const json = JSON.stringify(result.file, undefined, 2);
          saveFile(`account-${person.id}.json`, { parts: [json], type: 'application/json' });
        }
        done();
        return result && !result.file && <Result of={result} />;
      }}
      undo={undo && { send: undoIt, says: undone[undo] }}
      close={close}
    />
  );
}

/** What an act says besides that it is done. */
function Result({ of: { sentTo, resent, deletedAt, removedAt } }: { of: ActResult }) {
  const { when } = useTimes();
  return (
    <p>
      {sentTo && <Text id="console_act.link_sent" values={{ email: sentTo }} />}
      {resent !== undefined && (
        <Text id={resent > 0 ? 'console_act.resent' : 'console_act.none_sent'} values={{ count: resent }} />
      )}
      {deletedAt && <Text id="account.deletion_date" values={{ date: when(deletedAt) }} dir="auto" />}
      {removedAt && <Text id="second_step.removal_at" values={{ when: when(removedAt) }} dir="auto" />}
    </p>
  );
}
