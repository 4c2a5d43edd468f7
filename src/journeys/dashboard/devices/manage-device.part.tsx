import { useState } from 'react';
import { useForm } from '../../../browser/forms/form.ts';
import { Text } from '../../../browser/language/text.tsx';
import { useRequest } from '../../../browser/requests/request-status.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { Button, SubmitButton } from '../../../ui/button.tsx';
import { FormProblems } from '../../../ui/feedback/form-problems.tsx';
import { Notice } from '../../../ui/feedback/notice.tsx';
import { TextField } from '../../../ui/fields/text-field.tsx';
import { FormStack, Stack } from '../../../ui/layouts/stack.tsx';
import type { Computer } from './device-state.part.tsx';

const contract = () => import('../../../contract/computers.ts');

interface ManageDeviceProps {
  readonly computer: Computer;
  readonly done: () => void;
}

/** Renames a device or removes it from the account. */
export function ManageDevice({ computer: { id, name }, done }: ManageDeviceProps) {
  const form = useForm({
    contract,
    schema: ({ renameComputer }) => renameComputer.body,
    initial: { name },
    async send({ renameComputer }, body, signal) {
      await sendRequest(renameComputer, { params: { id }, body, signal });
      done();
    },
  });
  return (
    <Stack tight>
      <FormStack {...form.props}>
        <FormProblems form={form} labels={{ name: 'dashboard.name' }} />
        <TextField field={form.field('name')} label="dashboard.name" autoComplete="off" />
        <SubmitButton label="dashboard.rename" busy={form.busy ? 'form.wait' : undefined} retry={form.retry} />
      </FormStack>
      <RemoveDevice id={id} name={name} done={done} />
    </Stack>
  );
}

function RemoveDevice({ id, name, done }: { id: string; name: string; done: () => void }) {
  const [asking, setAsking] = useState(false);
  const removing = useRequest(async (signal) => {
    const { removeComputer } = await contract();
    await sendRequest(removeComputer, { params: { id }, signal });
    done();
  });
  if (!asking) return <Button label="dashboard.remove" plain onClick={() => setAsking(true)} />;
  return (
    <Notice kind="danger" role="alert">
      <p>
        <Text id="dashboard.remove_sure" values={{ name }} dir="auto" />
      </p>
      {removing.error && (
        <p>
          <Text {...removing.error.text} />
        </p>
      )}
      <Stack tight>
        <Button
          label="dashboard.remove_yes"
          busy={removing.state === 'pending' ? 'form.wait' : undefined}
          retry={removing.restart}
          narrow
          onClick={() => void removing.start()}
        />
        <Button label="dashboard.remove_no" quiet narrow onClick={() => setAsking(false)} />
      </Stack>
    </Notice>
  );
}
