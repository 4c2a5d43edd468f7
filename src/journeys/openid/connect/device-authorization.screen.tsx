import { useEffect, useState } from 'react';
import { useForm } from '../../../browser/forms/form.ts';
import { Text } from '../../../browser/language/text.tsx';
import { useQuery } from '../../../browser/navigation/query.ts';
import { useRequest } from '../../../browser/requests/request-status.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { Button, SubmitButton } from '../../../ui/button.tsx';
import { FormProblems } from '../../../ui/feedback/form-problems.tsx';
import { Notice } from '../../../ui/feedback/notice.tsx';
import { TextField } from '../../../ui/fields/text-field.tsx';
import { ClearLayout } from '../../../ui/layouts/clear-layout.tsx';
import { FormStack, Stack } from '../../../ui/layouts/stack.tsx';
import { Title } from '../../../ui/layouts/title.tsx';
import { Failed } from '../../account/read.part.tsx';
import type { Scope } from './connect.contract.ts';
import { Scopes } from './scopes.part.tsx';

const contract = () => import('./connect.contract.ts');

interface Device {
  readonly app: string;
  readonly scopes: readonly Scope[];
  readonly code: string;
}

/** Lets a device in that shows a code, such as a television or a command line. */
export default function ConnectDevice() {
  const [device, setDevice] = useState<Device>();
  const [decided, setDecided] = useState<'allowed' | 'refused'>();
  return (
    <ClearLayout>
      <Title lead={!device && <Text id="connect_device.lead" />}>
        {device ? (
          <Text id="connect.consent_title" values={{ app: device.app }} dir="auto" />
        ) : (
          <Text id="connect_device.page" />
        )}
      </Title>
      {decided && (
        <Notice kind={decided === 'allowed' ? 'success' : 'info'} role="status">
          <Text id={decided === 'allowed' ? 'connect_device.allowed' : 'connect_device.refused'} />
        </Notice>
      )}
      {!decided && device && <DeviceDecision device={device} decided={setDecided} />}
      {!decided && !device && <EnterCode found={setDevice} />}
    </ClearLayout>
  );
}

function EnterCode({ found }: { found: (device: Device) => void }) {
  const form = useForm({
    contract,
    schema: ({ readDevice }) => readDevice.body,
    initial: { user_code: '' },
    async send({ readDevice }, body, signal) {
      found({ ...(await sendRequest(readDevice, { body, signal })), code: body.user_code });
    },
  });
  const code = useQuery().query.get('user_code');
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the device's link leads here
  useEffect(() => {
    if (code) form.set('user_code', code);
  }, [code]);
  return (
    <FormStack {...form.props}>
      <FormProblems form={form} />
      <TextField
        field={form.field('user_code')}
        label="connect_device.code"
        autoComplete="off"
        spellCheck={false}
        dir="ltr"
      />
      <SubmitButton label="connect_device.submit" busy={form.busy ? 'form.wait' : undefined} retry={form.retry} />
    </FormStack>
  );
}

interface DeviceDecisionProps {
  device: Device;
  decided: (outcome: 'allowed' | 'refused') => void;
}

/** The user confirms the code: a stranger may have sent the link. */
function DeviceDecision({ device, decided }: DeviceDecisionProps) {
  const deciding = useRequest(async (signal, allow: boolean) => {
    const { decideDevice } = await contract();
    await sendRequest(decideDevice, { body: { user_code: device.code, allow }, signal });
    decided(allow ? 'allowed' : 'refused');
  });
  return (
    <Stack>
      <p>
        <Text id="connect_device.confirm" values={{ code: device.code }} />
      </p>
      <Scopes scopes={device.scopes} />
      <Button
        label="connect.allow"
        busy={deciding.state === 'pending' ? 'form.wait' : undefined}
        onClick={() => void deciding.start(true)}
      />
      <Failed failure={deciding.error} />
      <Button label="connect.refuse" quiet onClick={() => void deciding.start(false)} />
    </Stack>
  );
}
