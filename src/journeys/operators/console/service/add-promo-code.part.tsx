import { sendRequest } from '../../../../browser/requests/send-request.ts';
import { Field, Input, inputProps, TextField } from '../../../../ui/fields/field.tsx';
import { addPromoCode } from '../../service.contract.ts';
import { ActDialog } from '../layout/act-dialog.part.tsx';

interface AddPromoCodeProps {
  /** Called once it is added. */
  done: () => void;
  close: () => void;
}

/** The end of a day where the operator is. */
const endOf = (day: string): string => new Date(`${day}T23:59:59`).toISOString();

/** The dialog that adds a promo code for registrations. */
export const AddPromoCode = ({ done, close }: AddPromoCodeProps) => (
  <ActDialog
    label="console_promo.add"
    does="console_promo.add_does"
    required={['code']}
    fields={(field) => (
      <>
        <TextField field={field('code')} label="label.promo_code" autoComplete="off" dir="ltr" spellCheck={false} />
        <TextField field={field('uses')} label="console_promo.uses" optional inputMode="numeric" autoComplete="off" />
        <Field field={field('until')} label="console_promo.until" optional>
          <Input {...inputProps(field('until'))} type="date" autoComplete="off" />
        </Field>
      </>
    )}
    send={async (typed, sending) => {
      const [uses, until] = [typed('uses'), typed('until')];
      await sendRequest(addPromoCode, {
        body: {
          code: typed('code'),
          ...(uses && { uses: Number(uses) }),
          ...(until && { until: endOf(until) }),
          reason: typed('reason') || undefined,
        },
        ...sending,
      });
      done();
      return undefined;
    }}
    close={close}
  />
);
