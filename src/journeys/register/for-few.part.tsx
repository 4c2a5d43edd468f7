import { Text } from '../../browser/language/text.tsx';
import { Fold } from '../../ui/fields/fold.tsx';
import { TextField } from '../../ui/fields/text-field.tsx';
import type { RegisterForm } from './fields.part.ts';
import css from './for-few.module.css';

interface ForFewProps {
  form: RegisterForm;
  /** Whether language or country suggest Russia, the only country whose tax number the form accepts. */
  russian: boolean;
}

/** Fields that few people need, collapsed until the user opens them. */
export function ForFew({ form, russian }: ForFewProps) {
  const [organization, inn, promoCode] = [form.field('organization'), form.field('inn'), form.field('promo_code')];
  const taxNumber = (
    <TextField
      field={inn}
      label="label.inn"
      hint={<Text id="hint.inn" />}
      autoComplete="off"
      inputMode="numeric"
      dir="ltr"
      optional
    />
  );
  return (
    <div className={css.folds}>
      <Fold label="register.for_organization" fields={[organization, inn]}>
        <TextField field={organization} label="label.organization" autoComplete="organization" optional />
        {russian ? (
          taxNumber
        ) : (
          <Fold label="register.has_inn" fields={[inn]}>
            {taxNumber}
          </Fold>
        )}
      </Fold>
      <Fold label="register.has_promo_code" fields={[promoCode]}>
        <TextField
          field={promoCode}
          label="label.promo_code"
          autoComplete="off"
          dir="ltr"
          spellCheck={false}
          optional
        />
      </Fold>
    </div>
  );
}
