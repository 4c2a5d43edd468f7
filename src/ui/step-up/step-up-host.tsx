import { type ComponentType, useEffect, useState } from 'react';
import { useCell } from '../../browser/platform/cell.ts';
import { hostStepUps, stepUpRequest } from '../../browser/requests/step-up.ts';
import type { StepUpDialogProps } from './step-up-dialog.tsx';

/** Shows the dialog when a sensitive request needs a new proof of identity. Its code loads on demand. */
export function StepUpHost() {
  const request = useCell(stepUpRequest, () => undefined);
  const [Dialog, setDialog] = useState<ComponentType<StepUpDialogProps>>();
  useEffect(hostStepUps, []);
  useEffect(() => {
    if (!request) return;
    import('./step-up-dialog.tsx').then(
      (part) => setDialog(() => part.StepUpDialog),
      (problem: unknown) => {
        console.error(problem);
        request.cancel();
      },
    );
  }, [request]);
  return request && Dialog ? <Dialog request={request} /> : null;
}
