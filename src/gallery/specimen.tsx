import type { ReactNode } from 'react';
import type { FormField } from '../browser/forms/form.ts';
import { ClearLayout } from '../ui/layouts/clear-layout.tsx';
import { Stack } from '../ui/layouts/stack.tsx';
import { Title } from '../ui/layouts/title.tsx';
import type { State } from './state.ts';

/** A component alone on a page that names it. */
export const specimen = (title: string, children: ReactNode): Pick<State, 'show' | 'shows'> => ({
  shows: [],
  show: (
    <ClearLayout>
      <Title>{title}</Title>
      <Stack>{children}</Stack>
    </ClearLayout>
  ),
});

/** A field as a form passes it to its component. */
export const fieldOf = <Value extends string | boolean>(
  name: string,
  value: Value,
  error?: FormField['error'],
): FormField<Value> => ({ id: name, name, value, error });
