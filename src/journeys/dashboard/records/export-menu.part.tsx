import { useId, useState } from 'react';
import { Text } from '../../../browser/language/text.tsx';
import { useRequest } from '../../../browser/requests/request-status.ts';
import { Failed } from '../../../ui/feedback/notice.tsx';
import { Overdue } from '../../../ui/feedback/overdue.tsx';
import { Chevron, icon } from '../../../ui/icons.tsx';
import { Menu } from '../../../ui/menus/menu.tsx';
import { VisuallyHidden } from '../../../ui/visually-hidden.tsx';
import type { Computer } from '../devices/device-state.part.tsx';
import css from './export-menu.module.css';
import { type ExportFormat, exportRecords } from './export-records.part.ts';
import type { Selection } from './record-query.part.ts';

const Arrow = icon(<path d="M10 3v9.5M6 9l4 4 4-4M3.5 16.5h13" />);

const formats = [
  ['csv', 'records.csv'],
  ['jsonl', 'records.jsonl'],
] as const satisfies readonly (readonly [ExportFormat, string])[];

/** Downloads the selected records in one of two formats. */
export function ExportMenu({ selection, computers }: { selection: Selection; computers: readonly Computer[] }) {
  const id = useId();
  const [chosen, choose] = useState<ExportFormat>('csv');
  const { start, restart, state, error } = useRequest(async (signal, format: ExportFormat) => {
    await exportRecords({ format, selection, computers, signal });
  });
  const isPending = state === 'pending';
  return (
    <>
      <div className={css.menu}>
        <Menu
          id={id}
          button={
            <>
              <Arrow />
              <span className={css.words}>
                <Text id={isPending ? 'form.wait' : 'account.download'} />
              </span>
              <Chevron />
            </>
          }
        >
          {(hide) =>
            formats.map(([format, label]) => (
              <button
                key={format}
                type="button"
                onClick={() => {
                  hide();
                  choose(format);
                  void start(format);
                }}
              >
                <Text id={label} />
              </button>
            ))
          }
        </Menu>
        <VisuallyHidden role="status">{isPending && <Text id="form.wait" />}</VisuallyHidden>
      </div>
      <Overdue waiting={isPending} retry={() => restart(chosen)} />
      {error && (
        <div className={css.failure}>
          <Failed failure={error} />
        </div>
      )}
    </>
  );
}
