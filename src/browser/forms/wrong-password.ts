import { useEffect } from 'react';
import { focusField } from './focus-field.ts';
import type { Form } from './form.ts';

/** After an incorrect password, clears its field for the next attempt and focuses it. */
export function useWrongPassword<Name extends string>(
  { failure, set }: Pick<Form<Record<Name, string>>, 'failure' | 'set'>,
  name: Name,
): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs at each refusal
  useEffect(() => {
    if (failure?.code !== 'incorrect_password') return;
    set(name, '');
    focusField(name);
  }, [failure]);
}
