import { useEffect, useRef, useState } from 'react';
import { useForm, useWrongPassword } from '../../../browser/forms/form.ts';
import { Paragraph, Text } from '../../../browser/language/text.tsx';
import { useTimes } from '../../../browser/language/times.ts';
import { usePage } from '../../../browser/navigation/page.tsx';
import { saveFile } from '../../../browser/platform/save-file.ts';
import { RequestFailure, useRequest } from '../../../browser/requests/request-status.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import {
  endSessionHere,
  notifyAccountChanged,
  sessionNotice,
  startSession,
} from '../../../browser/requests/session.ts';
import { endSession } from '../../../browser/requests/session-requests.ts';
import type { consentGiven, readAccount } from '../../../contract/account.ts';
import type { ResponseBody } from '../../../contract/endpoint.ts';
import { refresh } from '../../../contract/sign-in/admission.ts';
import { days } from '../../../contract/units.ts';
import type { MessageId } from '../../../messages/ids.ts';
import { Button, ButtonLink } from '../../../ui/button.tsx';
import { Failed, Overdue } from '../../../ui/feedback/feedback.tsx';
import { FormProblems } from '../../../ui/feedback/form-problems.tsx';
import { PasswordField } from '../../../ui/fields/password-fields.tsx';
import { Card, FormStack, Heading, Stack, StepTitle } from '../../../ui/layouts/card.tsx';
import { ClearLayout } from '../../../ui/layouts/frame.tsx';
import { ConnectedApps } from '../../openid/connect/apps.part.tsx';
import { changeAccount } from '../account.contract.ts';
import { FormButtons, FormRow, Remark, Row, Rows, useForms } from '../layout/rows.part.tsx';
import { type Account, Section } from '../layout/section.part.tsx';
import { Line, Lines } from '../lines.part.tsx';
import { provesFirst, useSecurity } from '../second-step/second-step-rows.part.tsx';
import { exportAccount } from './export-account.contract.ts';

/** Consents, a copy of the data, and the deletion of the account. */
export default function PrivacyPage() {
  const [left, leave] = useState(false);
  if (left) return <Left />;
  return (
    <Section title="account_privacy.page">
      {(account) => <Privacy account={account} left={() => leave(true)} />}
    </Section>
  );
}

interface PrivacyProps {
  account: Account;
  /** The deletion is planned. */
  left: () => void;
}

function Privacy({ account, left }: PrivacyProps) {
  const { form } = useForms<'delete'>();
  return (
    <>
      <Card>
        <Heading text="account.consents" />
        <Consents account={account} />
      </Card>
      <ConnectedApps />
      <Rows>
        <ExportRow />
        <FormRow
          {...form('delete')}
          label="account.delete"
          button="account.delete"
          danger
          value={
            <Remark>
              <Text id="account.delete_text" /> <DeletionDate />
            </Remark>
          }
        >
          {(_done, cancel) => <Delete done={left} cancel={cancel} />}
        </FormRow>
      </Rows>
    </>
  );
}

type ConsentedAccount = ResponseBody<typeof readAccount>;
type Consent = (typeof consentGiven)['_zod']['output'];

/** The same texts as in the forms that asked for consent. */
const words: Readonly<Record<Consent['kind'], MessageId>> = {
  personal_data: 'register.consent_personal_data',
  terms: 'frame.terms',
  offers: 'register.consent_offers',
};
const kinds = Object.keys(words) as Consent['kind'][];

/** Lists the consents with their times and versions; consent to offers can be withdrawn. */
function Consents({ account }: { account: ConsentedAccount }) {
  const changing = useRequest(async (signal, given: boolean) => {
    await sendRequest(changeAccount, { body: { consent_offers: given }, signal });
    notifyAccountChanged();
  });
  const consents = kinds.map((kind) => ({ kind, consent: account.consents.find((one) => one.kind === kind) }));
  return (
    <>
      <Lines>
        {consents
          .filter(({ kind, consent }) => consent || kind === 'offers')
          .map(({ kind, consent }) => (
            <Line
              key={kind}
              title={<Text id={words[kind]} />}
              details={[<Standing key="given" consent={consent} />, <Document key="document" consent={consent} />]}
              action={
                kind === 'offers' && {
                  label: consent?.given ? 'account.withdraw' : 'account.agree',
                  act: () => void changing.start(!consent?.given),
                }
              }
            />
          ))}
      </Lines>
      <Failed failure={changing.error} />
      <Overdue waiting={changing.state === 'pending'} />
    </>
  );
}

function Standing({ consent }: { consent: Consent | undefined }) {
  const { when: time } = useTimes();
  if (!consent?.given) return <Text id="account.consent_absent" />;
  return <Text id="account.consent_given" dir="auto" values={{ when: time(consent.at), version: consent.version }} />;
}

const Document = ({ consent }: { consent: Consent | undefined }) =>
  consent?.document ? (
    <a href={consent.document} target="_blank" rel="noopener">
      <Text id={consent.kind === 'terms' ? 'frame.terms' : 'frame.privacy'} />
    </a>
  ) : null;

/** Downloads all data of the account as a file. */
function ExportRow() {
  const loading = useRequest(async (signal) => {
    const text = JSON.stringify(await sendRequest(exportAccount, { signal }), null, 2);
    saveFile('account-data.json', { parts: [text], type: 'application/json' });
  });
  const action = <Button label="account.download" quiet narrow request={loading} />;
  return (
    <Row label="account.export" action={action}>
      <Remark text="account.export_text" />
      <Failed failure={loading.error} />
    </Row>
  );
}

/** Deletes the account; requires the password, or a second step. */
function Delete({ done, cancel }: { done: () => void; cancel: () => void }) {
  const isProvenFirst = provesFirst(useSecurity().security);
  const deletion = useRef<'unanswered' | 'planned'>(undefined);
  const form = useForm({
    contract: () => import('../account.contract.ts'),
    schema: ({ deletion }) => deletion(isProvenFirst),
    initial: { delete_password: '' },
    async send({ deleteAccount }, { delete_password: password }, signal) {
      if (deletion.current === 'unanswered' && (await isSignedOut())) deletion.current = 'planned';
      if (deletion.current !== 'planned') {
        deletion.current = 'unanswered';
        // A sign-in cancels the deletion, so no other request or tab may lead there before this page reports it.
        endSessionHere(true);
        await sendRequest(deleteAccount, { body: isProvenFirst ? {} : { password }, signal }).catch(
          (failure: unknown) => {
            if (hasResponse(failure)) {
              deletion.current = undefined;
              endSessionHere(false);
            }
            throw failure;
          },
        );
        deletion.current = 'planned';
      }
      await endSession();
      done();
    },
  });
  useWrongPassword(form, 'delete_password');
  // The user gave up a deletion that had no response.
  useEffect(
    () => () => {
      if (deletion.current === 'unanswered') endSessionHere(false);
    },
    [],
  );
  const { ref } = form.props;
  useEffect(() => {
    // The focused password field disappears once the page knows that a dialog asks for a proof instead.
    if (isProvenFirst && document.activeElement === document.body)
      ref.current?.querySelector<HTMLElement>('button[type=button]')?.focus();
  }, [isProvenFirst, ref]);
  return (
    <FormStack {...form.props}>
      <FormProblems form={form} />
      {!isProvenFirst && (
        <PasswordField
          field={form.field('delete_password')}
          label="account.current_password"
          autoComplete="current-password"
        />
      )}
      <FormButtons form={form} label="account.delete" danger cancel={cancel} />
    </FormStack>
  );
}

/** Whether the service itself refused, so nothing happened. A gateway's 5xx may follow a success of the service. */
const hasResponse = (failure: unknown): boolean => failure instanceof RequestFailure && (failure.status ?? 500) < 500;

/** Whether a deletion without a response ended the session, so it succeeded: a sign-in to repeat it would cancel it. */
async function isSignedOut(): Promise<boolean> {
  try {
    startSession(await sendRequest(refresh, {}));
    return false;
  } catch (failure) {
    if (!hasResponse(failure)) throw failure;
    // A parallel refresh may have received the reason, which the server gives once.
    const reason = failure instanceof RequestFailure ? failure.reason : undefined;
    return (reason === 'no_session' ? sessionNotice.read() : reason) === 'signed_out';
  }
}

/** When a deletion that is requested now takes effect; nothing if that is immediately. */
function DeletionDate() {
  const { deletionGraceDays } = usePage().settings;
  const { day } = useTimes();
  if (deletionGraceDays === 0) return null;
  const date = day(new Date(Date.now() + days(deletionGraceDays)).toISOString());
  return <Text id="account.deletion_date" dir="auto" values={{ date }} />;
}

/** After the deletion: a sign-in cancels it during the grace period. */
function Left() {
  return (
    <ClearLayout>
      <StepTitle title="account.deleted" />
      <Stack>
        <Paragraph id="account.deleted_text" />
        <p>
          <DeletionDate />
        </p>
        <ButtonLink to="/" label="register.sign_in" quiet />
      </Stack>
    </ClearLayout>
  );
}
