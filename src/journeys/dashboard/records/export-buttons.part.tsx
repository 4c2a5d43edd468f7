import { Text } from '../../../browser/language/text.tsx';
import { useRequest } from '../../../browser/requests/request-status.ts';
import { Button } from '../../../ui/button.tsx';
import { Notice } from '../../../ui/feedback/notice.tsx';
import type { Computer } from '../devices/device-state.part.tsx';
import css from './export-buttons.module.css';
import type { ExportFormat } from './export-records.part.ts';
import type { Selection } from './record-query.part.ts';

interface ExportButtonsProps {
  readonly selection: Selection;
  readonly computers: readonly Computer[];
}

/** Downloads the selected records. */
export function ExportButtons({ selection, computers }: ExportButtonsProps) {
  return (
    <div className={css.buttons}>
      <ExportButton format="csv" label="records.csv" {...{ selection, computers }} />
      <ExportButton format="jsonl" label="records.jsonl" {...{ selection, computers }} />
    </div>
  );
}

interface ExportButtonProps extends ExportButtonsProps {
  readonly format: ExportFormat;
  readonly label: 'records.csv' | 'records.jsonl';
}

function ExportButton({ format, label, selection, computers }: ExportButtonProps) {
  const { start, restart, state, error } = useRequest(async (signal) => {
    const { exportRecords } = await import('./export-records.part.ts');
    await exportRecords({ format, selection, computers, signal });
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
