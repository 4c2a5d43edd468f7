import { Text } from '../../../browser/language/text.tsx';
import { useRequest } from '../../../browser/requests/request-status.ts';
import { Button } from '../../../ui/button.tsx';
import { Notice } from '../../../ui/feedback/notice.tsx';
import css from './export-buttons.module.css';
import type { ExportFormat } from './export-records.part.ts';
import type { Selection } from './record-query.part.ts';

interface ExportButtonsProps {
  readonly selection: Selection;
  /** Names by computer id. */
  readonly names: ReadonlyMap<string, string>;
}

/** Downloads the selected records. */
export function ExportButtons({ selection, names }: ExportButtonsProps) {
  return (
    <div className={css.buttons}>
      <ExportButton format="csv" label="records.csv" {...{ selection, names }} />
      <ExportButton format="jsonl" label="records.jsonl" {...{ selection, names }} />
    </div>
  );
}

interface ExportButtonProps extends ExportButtonsProps {
  readonly format: ExportFormat;
  readonly label: 'records.csv' | 'records.jsonl';
}

function ExportButton({ format, label, selection, names }: ExportButtonProps) {
  const { start, restart, state, error } = useRequest(async (signal) => {
    const { exportRecords } = await import('./export-records.part.ts');
    await exportRecords({ format, selection, names, signal });
  });
  return (
    <>
      <Button
        label={label}
        plain
        busy={state === 'pending' ? 'form.wait' : undefined}
        retry={restart}
        onClick={() => void start()}
      />
      {error && (
        <div className={css.failure}>
          <Notice kind="danger" role="alert">
            <Text {...error.text} />
          </Notice>
        </div>
      )}
    </>
  );
}
