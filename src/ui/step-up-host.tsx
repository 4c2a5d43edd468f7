import { type ComponentType, useEffect, useState } from 'react';
import { useCell } from '../browser/platform/storage.ts';
import { hostStepUps, stepUpRequest } from '../browser/requests/step-up.ts';
import type { StepUpDialogProps } from './step-up-dialog.tsx';

/** Shows the dialog when a sensitive request needs a new proof of identity. Its code loads on demand. */
export function StepUpHost() {
  const request = useCell(stepUpRequest, () => undefined);
  const [Dialog, setDialog] = useState<ComponentType<StepUpDialogProps>>();
  useEffect(hostStepUps, []);
  useEffect(() => {
    // Not `import(…).then(…, request.fail)`: the build would call the handler only after the files have arrived.
    const load = async () => {
      const { StepUpDialog } = await import('./step-up-dialog.tsx');
      setDialog(() => StepUpDialog);
    };
    if (request) load().catch(request.fail);
  }, [request]);
  return request && Dialog ? <Dialog request={request} /> : null;
}
