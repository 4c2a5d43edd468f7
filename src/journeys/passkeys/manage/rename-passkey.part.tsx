import { useForm } from '../../../browser/forms/form.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { FormProblems } from '../../../ui/feedback/form-problems.tsx';
import { TextField } from '../../../ui/fields/text-field.tsx';
import { FormStack } from '../../../ui/layouts/stack.tsx';
import { FormButtons } from '../../account/layout/form-buttons.part.tsx';

interface RenamePasskeyProps {
  id: string;
  name: string;
  draft: string | undefined;
  close: () => void;
  done: () => void;
}

const labels = { passkey_name: 'security.passkey_name' } as const;

/** The form for the name of a passkey. */
export function RenamePasskey({ id, name, draft, close, done }: RenamePasskeyProps) {
  const form = useForm({
    contract: () => import('../passkeys.contract.ts'),
    schema: ({ passkeyName }) => passkeyName,
    initial: { passkey_name: name },
    draft,
    async send({ renamePasskey }, { passkey_name }, signal) {
      await sendRequest(renamePasskey, { params: { id }, body: { name: passkey_name }, signal });
      done();
    },
  });
  return (
    <FormStack {...form.props}>
      <FormProblems form={form} labels={labels} />
      <TextField field={form.field('passkey_name')} label="security.passkey_name" autoComplete="off" />
      <FormButtons form={form} label="account.save" cancel={close} />
    </FormStack>
  );
}
