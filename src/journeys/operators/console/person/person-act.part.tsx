import { useState } from 'react';
import { Text } from '../../../../browser/language/text.tsx';
import { useTimes } from '../../../../browser/language/times.ts';
import { knownLanguage } from '../../../../contract/languages.ts';
import type { OperatorRole } from '../../../../contract/operator-roles.ts';
import { Checkbox } from '../../../../ui/fields/choice-fields.tsx';
import { TextField } from '../../../../ui/fields/field.tsx';
import { noteLength } from '../../people.contract.ts';
import { ActDialog, NoteField } from '../layout/act-dialog.part.tsx';
import { saveFile } from '../layout/save-file.part.ts';
import { type ActName, type ActResult, acts, type Person } from './acts.part.ts';
import { changedDetails, type Details, DetailsFields } from './details.part.tsx';

/** An act that an operator has begun. */
export interface BegunAct {
  readonly name: ActName;
  readonly group?: string;
  /** The details that are stored, and those that the fields have at first. */
  readonly details?: { readonly stored: Details; readonly first: Details };
}

interface PersonActProps {
  person: Pick<Person, 'id' | 'name' | 'email' | 'organization' | 'inn' | 'locale'>;
  act: BegunAct;
  role: OperatorRole;
  /** Begins another act in its place, such as the one that undoes it. */
  begin: (act: BegunAct) => void;
  /** Called once the act is done. */
  done: () => void;
  close: () => void;
}

const detailsOf = ({ name, organization, inn, locale }: PersonActProps['person']): Details => ({
  ...{ name, organization: organization ?? '', inn: inn ?? '', locale: knownLanguage(locale) },
});

/** Names of the fields that must not be empty. */
const required = { group: ['text'], note: ['text'], details: ['name'], email: ['email'], immediately: [] } as const;

/** The dialog of an act for a person. */
export function PersonAct({ person, act, role, begin, done, close }: PersonActProps) {
  const { name, group = '' } = act;
  const { label, does, danger, asks, undo, send } = acts[name];
  const [{ stored, first }] = useState(act.details ?? { stored: detailsOf(person), first: detailsOf(person) });
  const [now, setNow] = useState(stored);
  function undoIt(): void {
    if (undo)
      begin({
        name: undo,
        ...(group && { group }),
        ...(asks === 'details' && { details: { stored: now, first: stored } }),
      });
  }
  return (
    <ActDialog
      label={label}
      does={does}
      danger={danger}
      whom={
        <>
          <bdi>{person.name}</bdi> <bdi dir="ltr">{person.email}</bdi> {group && <bdi>{group}</bdi>}
        </>
      }
      required={asks && group === '' ? required[asks] : []}
      fields={(field) => (
        <>
          {/* The server names the field of a group after its path. */}
          {asks === 'group' && group === '' && (
            <TextField
              field={{ ...field('text'), error: field('text').error ?? field('group').error }}
              label="console_act.group"
              autoComplete="off"
              spellCheck={false}
            />
          )}
          {asks === 'note' && <NoteField field={field('text')} label="incidents.note" max={noteLength} />}
          {asks === 'details' && <DetailsFields field={field} first={first} />}
          {asks === 'email' && (
            <TextField field={field('email')} label="label.email_new" autoComplete="off" dir="ltr" spellCheck={false} />
          )}
          {asks === 'immediately' && role === 'owner' && (
            <Checkbox field={{ ...field('immediately'), value: false }} label="console_act.immediately" />
          )}
        </>
      )}
      send={async (typed, sending) => {
        const text = group || typed('text');
        const details = asks === 'details' ? changedDetails(stored, typed) : {};
        if (asks === 'details' && Object.keys(details).length === 0) {
          close();
          return undefined;
        }
        const sent = await send({ id: person.id, reason: typed('reason') || undefined, text, typed, details, sending });
        setNow({ ...stored, ...details });
        if (sent?.file) {
          const json = JSON.stringify(sent.file, undefined, 2);
          saveFile(`account-${person.id}.json`, { text: json, type: 'application/json' });
        }
        done();
        return sent && !sent.file && <Result of={sent} />;
      }}
      undo={undo && (group || asks !== 'group') ? undoIt : undefined}
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
