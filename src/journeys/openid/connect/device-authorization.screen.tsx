import { useEffect, useRef, useState } from 'react';
import { useForm } from '../../../browser/forms/form.ts';
import { Paragraph, Text } from '../../../browser/language/text.tsx';
import { useQuery } from '../../../browser/navigation/navigation.tsx';
import { type RequestFailure, useRequest } from '../../../browser/requests/request-status.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import type { Scope } from '../../../contract/openid-scopes.ts';
import { SubmitButton } from '../../../ui/button.tsx';
import { Notice } from '../../../ui/feedback/feedback.tsx';
import { FormProblems } from '../../../ui/feedback/form-problems.tsx';
import { TextField } from '../../../ui/fields/field.tsx';
import { FormStack, Stack, StepTitle, Title } from '../../../ui/layouts/card.tsx';
import { ClearLayout } from '../../../ui/layouts/frame.tsx';
import { StepUpHost } from '../../../ui/step-up-host.tsx';
import { decideDevice } from './connect.contract.ts';
import { type Api, Consent, DecisionButtons } from './consent.part.tsx';

const contract = () => import('./connect.contract.ts');

interface Device {
  readonly app: string;
  readonly scopes: readonly Scope[];
  readonly apis: readonly Api[];
  readonly code: string;
}

/** Lets a device in that shows a code, such as a television or a command line. */
export default function ConnectDevice() {
  const [device, setDevice] = useState<Device>();
  const [decided, setDecided] = useState<'allowed' | 'refused'>();
  /** The code became invalid before the decision. */
  const [lost, setLost] = useState<RequestFailure>();
  if (device && !decided) {
    const giveUp = (failure: RequestFailure) => {
      setLost(failure);
      setDevice(undefined);
    };
    return (
      <ClearLayout>
        <StepTitle title="connect.consent_title" values={{ app: device.app }} />
        <DeviceDecision device={device} decided={setDecided} lost={giveUp} />
        <StepUpHost />
      </ClearLayout>
    );
  }
  return (
    <ClearLayout>
      <Title lead={!decided && <Text id="connect_device.lead" />}>
        <Text id="connect_device.page" />
      </Title>
      {decided ? <Decided outcome={decided} /> : <EnterCode found={setDevice} lost={lost} />}
    </ClearLayout>
  );
}

function Decided({ outcome }: { outcome: 'allowed' | 'refused' }) {
  const notice = useRef<HTMLDivElement>(null);
  useEffect(() => notice.current?.focus(), []);
  return (
    <Notice kind={outcome === 'allowed' ? 'success' : 'info'} role="status" ref={notice}>
      <Text id={outcome === 'allowed' ? 'connect_device.allowed' : 'connect_device.refused'} />
    </Notice>
  );
}

interface EnterCodeProps {
  found: (device: Device) => void;
  /** Why the previous code no longer counts. */
  lost: RequestFailure | undefined;
}

function EnterCode({ found, lost }: EnterCodeProps) {
  const form = useForm({
    contract,
    schema: ({ readDevice }) => readDevice.body,
    initial: { user_code: '' },
    async send({ readDevice }, body, signal) {
      // As the device shows it, so that the user can compare it letter by letter.
      const { user_code: code } = readDevice.body.parse(body);
      found({ ...(await sendRequest(readDevice, { body, signal })), code });
    },
  });
  const code = useQuery().query.get('user_code');
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the device's link leads here
  useEffect(() => {
    if (code && !lost) form.set('user_code', code);
  }, [code]);
  const isFresh = form.request.lastUpdate === undefined && form.summary.length === 0;
  return (
    <FormStack {...form.props}>
      <FormProblems form={isFresh ? { ...form, failure: lost } : form} labels={{ user_code: 'connect_device.code' }} />
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
  lost: (failure: RequestFailure) => void;
}

/** The user confirms the code: a stranger may have sent the link. */
function DeviceDecision({ device, decided, lost }: DeviceDecisionProps) {
  const deciding = useRequest(
    async (signal, allow: boolean) => {
      await sendRequest(decideDevice, { body: { user_code: device.code, allow }, signal });
      decided(allow ? 'allowed' : 'refused');
    },
    { onError: (failure) => failure.code === 'device_code_unknown' && lost(failure) },
  );
  return (
    <Stack>
      <Consent scopes={device.scopes} apis={device.apis}>
        <Paragraph id="connect_device.confirm" values={{ code: device.code }} />
      </Consent>
      <DecisionButtons deciding={deciding} />
    </Stack>
  );
}
