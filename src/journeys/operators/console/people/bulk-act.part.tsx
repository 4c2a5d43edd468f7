import { useId, useState } from 'react';
import { Text, useText } from '../../../../browser/language/text.tsx';
import { useGo } from '../../../../browser/navigation/navigation.tsx';
import { sendRequest } from '../../../../browser/requests/send-request.ts';
import { type BulkAct, bulkActs } from '../../../../contract/operators.ts';
import { Select } from '../../../../ui/fields/choice-fields.tsx';
import { Field, inputProps } from '../../../../ui/fields/field.tsx';
import { beginJob } from '../../jobs.contract.ts';
import { ActDialog } from '../layout/act-dialog.part.tsx';
import { actOf } from '../person/acts.part.ts';
import css from './bulk-act.module.css';

/** Someone for whom an act is. */
export interface Selected {
  readonly id: string;
  /** Of the account, or its address. */
  readonly name: string;
  readonly locked?: boolean;
  readonly leaving?: boolean;
}

interface BulkActProps {
  people: readonly Selected[];
  /** What was done for them before; otherwise the dialog asks. */
  given?: BulkAct;
  close: () => void;
}

/** The dialog of an act for several people: for whom, and which. Leads to its progress. */
export function BulkActDialog({ people, given, close }: BulkActProps) {
  const t = useText();
  const go = useGo();
  const [chosen, choose] = useState(given);
  const list = useId();
  const act = chosen && actOf(chosen);
  return (
    <ActDialog
      label={act?.label ?? 'console_bulk.act'}
      does={act?.does ?? 'console_bulk.act_does'}
      danger={act?.danger}
      required={['act']}
      fields={(field) => (
        <>
          {given ? (
            <input type="hidden" name="act" value={given} />
          ) : (
            <Field field={field('act')} label="console_bulk.what">
              <Select
                {...inputProps(field('act'))}
                defaultValue=""
                onChange={({ target }) => choose((target.value || undefined) as BulkAct | undefined)}
              >
                <option value="" />
                {bulkActs.map((one) => (
                  <option key={one} value={one}>
                    {t(actOf(one).label)}
                  </option>
                ))}
              </Select>
            </Field>
          )}
          <div>
            <p id={list}>
              <Text id="console_bulk.selected" values={{ count: people.length }} />
            </p>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it */}
            <ul className={css.people} aria-labelledby={list} tabIndex={0}>
              {people.map(({ id, name, locked, leaving }) => (
                <li key={id}>
                  <bdi>{name}</bdi>
                  {locked && (
                    <span className={css.state}>
                      <Text id="console_people.locked" />
                    </span>
                  )}
                  {leaving && (
                    <span className={css.state}>
                      <Text id="console_people.leaving" />
                    </span>
                  )}
                </li>
              ))}
            </ul>
          </div>
        </>
      )}
      send={async (typed, sending) => {
        const ids = people.map(({ id }) => id);
        const body = { ids, act: typed('act') as BulkAct, reason: typed('reason') || undefined };
        const { id } = await sendRequest(beginJob, { body, ...sending });
        close();
        go(`/console/jobs/${id}/`);
        return undefined;
      }}
      close={close}
    />
  );
}
