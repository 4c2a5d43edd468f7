import type { Form } from '../../browser/forms/form.ts';
import { Text } from '../../browser/language/text.tsx';
import { Notice } from './notice.tsx';

/** Confirms that the server has stored a form that stays open, until the form changes. */
export const FormSaved = ({ form }: { form: Pick<Form<Record<string, never>>, 'saved'> }) =>
  form.saved && (
    <Notice kind="success" role="status">
      <Text id="account.saved" />
    </Notice>
  );
