import { Text } from '../../../../browser/language/text.tsx';
import { useTimes } from '../../../../browser/language/times.ts';
import type { OperatorRole } from '../../../../contract/operator-roles.ts';
import { Checkbox } from '../../../../ui/fields/choice-fields.tsx';
import { TextField } from '../../../../ui/fields/field.tsx';
import { noteLength } from '../../people.contract.ts';
import { ActDialog, NoteField } from '../layout/act-dialog.part.tsx';
import { saveFile } from '../layout/save-file.part.ts';
import { type ActName, acts, type Person } from './acts.part.ts';

/** An act that an operator has begun. */
export interface BegunAct {
  readonly name: ActName;
  readonly group?: string;
}

interface PersonActProps {
  person: Pick<Person, 'id' | 'name' | 'email'>;
  act: BegunAct;
  role: OperatorRole;
  /** Begins another act in its place, such as the one that undoes it. */
  begin: (act: BegunAct) => void;
  /** Called once the act is done. */
  done: () => void;
  close: () => void;
}

/** The dialog of an act for a person. */
export function PersonAct({ person, act: { name, group = '' }, role, begin, done, close }: PersonActProps) {
  const { when } = useTimes();
  const { label, does, danger, asks, undo, send } = acts[name];
  const asked = group === '' && (asks === 'group' || asks === 'note') ? ['text'] : [];
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
      required={asked}
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
          {asks === 'immediately' && role === 'owner' && (
            <Checkbox field={{ ...field('immediately'), value: false }} label="console_act.immediately" />
          )}
        </>
      )}
      send={async (typed, signal) => {
        const text = group || typed('text');
        const immediately = typed('immediately') !== '';
        const sent = await send({ id: person.id, reason: typed('reason') || undefined, text, immediately, signal });
        if (sent?.file) {
          const json = JSON.stringify(sent.file, undefined, 2);
          saveFile(`account-${person.id}.json`, { text: json, type: 'application/json' });
        }
        done();
        if (sent?.deletedAt)
          return <Text id="account.deletion_date" values={{ date: when(sent.deletedAt) }} dir="auto" />;
        return (
          sent?.removedAt && <Text id="second_step.removal_at" values={{ when: when(sent.removedAt) }} dir="auto" />
        );
      }}
      undo={undo && (group || asks !== 'group' ? () => begin({ name: undo, ...(group && { group }) }) : undefined)}
      close={close}
    />
  );
}
