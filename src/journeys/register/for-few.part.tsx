import { Text } from '../../browser/language/text.tsx';
import { Fold } from '../../ui/fields/fold.tsx';
import { TextField } from '../../ui/fields/text-field.tsx';
import type { RegisterForm } from './fields.part.ts';
import css from './for-few.module.css';

interface ForFewProps {
  form: RegisterForm;
  /** By language or country: the tax number is one of Russia. */
  russian: boolean;
}

/** What few people fill in, folded away until they say that they are among them. */
export function ForFew({ form, russian }: ForFewProps) {
  const isUsed = (name: 'organization' | 'inn' | 'promo_code') => {
    const { value, error } = form.field(name);
    return value !== '' || error !== undefined;
  };
  const inn = (
    <TextField
      field={form.field('inn')}
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
      <Fold label="register.for_organization" open={isUsed('organization') || isUsed('inn')}>
        <TextField field={form.field('organization')} label="label.organization" autoComplete="organization" optional />
        {russian ? (
          inn
        ) : (
          <Fold label="register.has_inn" open={isUsed('inn')}>
            {inn}
          </Fold>
        )}
      </Fold>
      <Fold label="register.has_promo_code" open={isUsed('promo_code')}>
        <TextField
          field={form.field('promo_code')}
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
