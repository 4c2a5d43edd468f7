import { useEffect, useEffectEvent, useState } from 'react';
import { useForm, useWrongPassword } from '../../browser/forms/form.ts';
import { Paragraph, Text } from '../../browser/language/text.tsx';
import { focusHeading } from '../../browser/navigation/history.ts';
import { Link } from '../../browser/navigation/navigation.tsx';
import { useAccount } from '../../browser/requests/account.ts';
import { useRequest } from '../../browser/requests/request-status.ts';
import { sendRequest } from '../../browser/requests/send-request.ts';
import type { ResponseBody } from '../../contract/endpoint.ts';
import { seconds } from '../../contract/units.ts';
import { AccountNotices } from '../../journeys/account/notices/account-notices.part.tsx';
import { Button, ButtonLink, SubmitButton } from '../../ui/button.tsx';
import { Failed, Notice } from '../../ui/feedback/feedback.tsx';
import { FormProblems } from '../../ui/feedback/form-problems.tsx';
import { PasswordField } from '../../ui/fields/password-fields.tsx';
import { AccountLayout, AccountUnread } from '../../ui/layouts/account-layout.tsx';
import { Card, FormStack, Heading, Title } from '../../ui/layouts/card.tsx';
import { listComputers, requestEnrolment } from '../contract/computers.ts';
import { useNews } from '../dashboard/live.part.tsx';
import css from './add-computers.module.css';
import type { EnrolmentKeys } from './enrolment-keys.part.tsx';
import { Steps } from './steps.part.tsx';

/** The page that adds computers, where a new account starts. */
export default function AddComputers() {
  const { account, failure, retry } = useAccount();
  const [changes] = useNews();
  return (
    <AccountLayout wide>
      <Title text="computers_add.page" />
      {account && <AccountNotices account={account} />}
      {account ? (
        <div className={css.page}>
          <AddSteps email={account.email} changes={changes} />
          <ManyComputers email={account.email} changes={changes} />
        </div>
      ) : (
        <AccountUnread failure={failure} retry={retry} />
      )}
    </AccountLayout>
  );
}

interface ManyComputersProps {
  readonly email: string;
  readonly changes: number;
}

/** The keys that add many computers; few people need them, so their code loads on demand. */
function ManyComputers(props: ManyComputersProps) {
  const [Keys, setKeys] = useState<typeof EnrolmentKeys>();
  const opening = useRequest(async () => {
    const part = await import('./enrolment-keys.part.tsx');
    setKeys(() => part.EnrolmentKeys);
  });
  return (
    <Card id="many">
      <Heading text="keys.title" />
      <Paragraph id="keys.lead" />
      {Keys ? (
        <Keys {...props} />
      ) : (
        <Button
          label="keys.show"
          quiet
          narrow
          busy={opening.state === 'pending' ? 'frame.loading' : undefined}
          onClick={() => void opening.start()}
        />
      )}
      <Failed failure={opening.error} />
    </Card>
  );
}

type Computer = ResponseBody<typeof listComputers>['computers'][number];

interface Offer extends ResponseBody<typeof requestEnrolment> {
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  /** Ids of the computers from before the code. */
  readonly known: ReadonlySet<string>;
}

/** Shows a code, how to use it, and the computers that it has added. */
function AddSteps({ email, changes }: { email: string; changes: number }) {
  const [offer, setOffer] = useState<Offer>();
  const [arrived, setArrived] = useState<readonly Computer[]>([]);
  /** `isBackground`: no dialog opens by itself. */
  const ask = async (
    signal: AbortSignal,
    { password, isBackground = false }: { password?: string; isBackground?: boolean } = {},
  ) => {
    const { computers } = await sendRequest(listComputers, { signal });
    const asked = await sendRequest(requestEnrolment, { body: { password }, signal, isBackground });
    setArrived([]);
    setOffer({
      ...asked,
      deadline: Date.now() + seconds(asked.expires_in),
      known: new Set(computers.map(({ id }) => id)),
    });
    asking.cancel();
  };
  const [mustProve, setMustProve] = useState(false);
  const asking = useRequest((signal, isBackground?: boolean) => ask(signal, { isBackground: isBackground === true }), {
    onError: ({ code }) => setMustProve(code === 'step_up_required'),
  });
  const look = useEffectEvent(async () => {
    if (!offer) return;
    // A single missing response is not worth a message.
    const listed = await sendRequest(listComputers, {}).catch(() => undefined);
    if (listed) setArrived(listed.computers.filter(({ id }) => !offer.known.has(id)));
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs after each change in the account
  useEffect(() => void look(), [changes]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, when the page appears
  useEffect(() => void asking.start(true), []);
  const step = arrived.length > 0 ? 'arrived' : offer?.code;
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the focused button may have disappeared
  useEffect(() => {
    if (document.activeElement === document.body) focusHeading();
  }, [step]);

  if (asking.error?.fields.some(({ field }) => field === 'password'))
    return <PasswordAgain email={email} ask={(signal, password) => ask(signal, { password })} />;
  if (!offer && mustProve) return <IdentityFirst busy={asking.state === 'pending'} ask={() => void asking.start()} />;
  if (!offer) return <AccountUnread failure={asking.error} retry={asking.restart} />;
  return (
    <>
      <Failed failure={asking.error} />
      {arrived.length > 0 ? (
        <Arrived computers={arrived} busy={asking.state === 'pending'} addAnother={() => void asking.start()} />
      ) : (
        <Steps offer={offer} busy={asking.state === 'pending'} ask={() => void asking.start()} />
      )}
    </>
  );
}

interface ArrivedProps {
  readonly computers: readonly Computer[];
  readonly busy: boolean;
  readonly addAnother: () => void;
}

function Arrived({ computers, busy, addAnother }: ArrivedProps) {
  return (
    <Card>
      <Notice kind="success" role="status">
        {computers.map(({ id, name, tags }) => (
          <p key={id} className={css.arrived}>
            <span>
              <Text id="computers_add.arrived" values={{ name }} dir="auto" />
            </span>
            <Link
              to={`/devices/${encodeURIComponent(id)}/`}
              text={tags.length > 0 ? 'device.tags_edit' : 'device.tags_add'}
            />
          </p>
        ))}
        <Link to="/alarms/rules/" text="rules.title" />
      </Notice>
      <div className={css.buttons}>
        <ButtonLink to="/dashboard/" label="computers_add.dashboard" narrow />
        <Button
          label="computers_add.another"
          busy={busy ? 'frame.loading' : undefined}
          quiet
          narrow
          onClick={addAnother}
        />
      </div>
    </Card>
  );
}

/** Opening the page must not surprise anyone with a dialog: the button announces it. */
const IdentityFirst = ({ busy, ask }: { busy: boolean; ask: () => void }) => (
  <Card>
    <Paragraph id="computers_add.confirm" />
    <Button label="computers_add.start" narrow busy={busy ? 'frame.loading' : undefined} onClick={ask} />
  </Card>
);

interface PasswordAgainProps {
  readonly email: string;
  /** Requests a code with the password. */
  readonly ask: (signal: AbortSignal, password: string) => Promise<unknown>;
}

/** Asks for the password before a browser with an old session gets a code: someone else may sit there now. */
function PasswordAgain({ email, ask }: PasswordAgainProps) {
  const form = useForm({
    contract: () => import('../contract/computers.ts'),
    schema: ({ passwordAgain }) => passwordAgain,
    initial: { password: '' },
    send: (_contract, { password }, signal) => ask(signal, password),
  });
  useWrongPassword(form, 'password');
  return (
    <Card>
      <FormStack {...form.props}>
        <Paragraph id="computers_add.prove" />
        <FormProblems form={form} />
        {/* Password managers find the password by this name. */}
        <input type="text" name="email" autoComplete="username" defaultValue={email} readOnly hidden />
        <PasswordField field={form.field('password')} label="label.password" autoComplete="current-password" />
        <SubmitButton
          label="computers_add.prove_submit"
          busy={form.busy ? 'form.wait' : undefined}
          retry={form.retry}
        />
      </FormStack>
    </Card>
  );
}
