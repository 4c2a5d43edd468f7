import { type FocusEvent, useState } from 'react';
import type { FieldFailure } from '../../contract/failures.ts';
import type { FormField } from './form.ts';

/**
 * Refuses a common password when the user leaves its field, long before the form is complete. The server checks the
 * password again, also against the owner's name and address.
 */
export function useGuessablePassword() {
  const [guessable, setGuessable] = useState<readonly string[]>([]);
  return {
    /** Props for the form. */
    props: {
      onBlur({ target }: FocusEvent<HTMLElement>): void {
        if (!(target instanceof HTMLInputElement) || target.name !== 'password') return;
        const { value } = target;
        import('./guessable-password.ts')
          .then(({ isGuessable }) => isGuessable(value))
          .then((is) => is && setGuessable((before) => [...before, value]))
          // Without a response, only the server checks the password.
          .catch(() => undefined);
      },
    },
    /** Whether to refuse a field that has no other error. */
    refuses: ({ value, error }: FormField<string>): boolean => !error && guessable.includes(value),
    /** The error of a form that is sent. */
    check: ({ password }: { password: string }): FieldFailure[] =>
      guessable.includes(password) ? [{ field: 'password', code: 'password_common' }] : [],
  };
}
