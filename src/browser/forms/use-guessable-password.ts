import { type FocusEvent, useState } from 'react';
import type { FieldFailure } from '../../contract/failures.ts';
import { isObviousPassword, type PasswordOwner } from '../../contract/sign-in/obvious-password.ts';
import { usePage } from '../navigation/page.tsx';
import type { FormField } from './form.ts';
import { released } from './released.ts';

/**
 * Refuses a password that is common, or a word of its owner, when the user leaves its field, long before the form is
 * complete. The server checks the password again.
 */
export function useGuessablePassword() {
  const product = usePage().settings.productName;
  /** Passwords of fields that the user has left. */
  const [left, setLeft] = useState<readonly string[]>([]);
  const [common, setCommon] = useState<readonly string[]>([]);
  return {
    /** Props for the form. */
    props: {
      onBlur({ target }: FocusEvent<HTMLElement>): void {
        if (!(target instanceof HTMLInputElement) || target.name !== 'password') return;
        const { value } = target;
        void released().then(() => setLeft((before) => [...before, value]));
        import('./guessable-password.ts')
          .then(async ({ isGuessable }) => {
            if (!(await isGuessable(value))) return;
            await released();
            setCommon((before) => [...before, value]);
          })
          // Without a response, only the server checks the password.
          .catch(() => undefined);
      },
    },
    /** Whether to refuse a field that has no other error. */
    refuses: ({ value, error }: FormField<string>, owner: Owner): boolean =>
      !error && (common.includes(value) || (left.includes(value) && isObviousPassword(value, { ...owner, product }))),
    /** The error of a form that is sent. */
    check: (password: string, owner: Owner): FieldFailure[] =>
      common.includes(password) || isObviousPassword(password, { ...owner, product })
        ? [{ field: 'password', code: 'password_common' }]
        : [],
  };
}

type Owner = Omit<PasswordOwner, 'product'>;
