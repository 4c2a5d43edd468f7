import type { Form } from '../../../browser/forms/form.ts';
import type { Values } from '../../../browser/forms/form-fields.ts';
import type { MessageId } from '../../../messages/ids.ts';
import { Button, SubmitButton } from '../../../ui/button.tsx';
import { ButtonRow } from './button-row.part.tsx';

interface FormButtonsProps<Fields extends Values> {
  form: Pick<Form<Fields>, 'busy' | 'retry' | 'discard'>;
  label: MessageId;
  /** Submitting destroys something. */
  danger?: boolean;
  cancel: () => void;
}

/**
 * The buttons of a form that was opened: submit, and cancel unless the request is pending. If submitting destroys
 * something, Cancel takes the place of the button that opened the form, so that a double click destroys nothing.
 */
export function FormButtons<Fields extends Values>({ form, label, danger, cancel }: FormButtonsProps<Fields>) {
  function giveUp(): void {
    form.discard();
    cancel();
  }
  const keep = <Button label="account.cancel" quiet narrow onClick={form.busy ? undefined : giveUp} />;
  return (
    <ButtonRow>
      {danger && keep}
      <SubmitButton
        label={label}
        danger={danger}
        narrow
        busy={form.busy ? 'form.wait' : undefined}
        retry={form.retry}
      />
      {!danger && keep}
    </ButtonRow>
  );
}
