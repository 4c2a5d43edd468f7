import { useEffect, useRef, useState } from 'react';
import { useForm } from '../../../browser/forms/form.ts';
import { Paragraph, Text } from '../../../browser/language/text.tsx';
import { useTimes } from '../../../browser/language/times.ts';
import { usePage } from '../../../browser/navigation/page.tsx';
import { isCancelled, useRequest } from '../../../browser/requests/request-status.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { notifyAccountChanged, useAccountChanges } from '../../../browser/requests/session.ts';
import type { ResponseBody } from '../../../contract/endpoint.ts';
import { Button } from '../../../ui/button.tsx';
import { Command } from '../../../ui/command.tsx';
import { Failed, FailureWords, Notice, Overdue } from '../../../ui/feedback/feedback.tsx';
import { FormProblems } from '../../../ui/feedback/form-problems.tsx';
import { CodeField, clockHelp } from '../../../ui/fields/code-field.tsx';
import { FormStack, Stack } from '../../../ui/layouts/card.tsx';
import { QrCode } from '../../../ui/qr-code.tsx';
import { ConfirmAction, FormButtons, FormRow, Remark, Rows, Standing, useForms } from '../layout/rows.part.tsx';
import { keepUnsavedCodes, RecoveryCodes, RenewRecoveryCodes, useUnsavedCodes } from './recovery-codes.part.tsx';
import css from './second-step-rows.module.css';
import {
  beginAuthenticator,
  forgetRememberedDevices,
  keepSecondStep,
  readSecurity,
  removeAuthenticator,
  type renewRecoveryCodes,
} from './second-step-settings.contract.ts';

/** From this number of codes left, the page warns. */
export const fewCodes = 3;

/** The authenticator app, its recovery codes, and the browsers that skip the second step. */
export function SecondStepRows({ security }: { security: SecurityState }) {
  const unsaved = useUnsavedCodes();
  const { form, open } = useForms<'authenticator' | 'codes' | 'remembered'>(unsaved && 'codes');
  const [wasAdded, setAdded] = useState(false);
  /** The new authenticator works already, but its recovery codes are still shown. */
  const [adding, setAdding] = useState(false);
  const changed = (done: () => void, added = wasAdded) => {
    setAdded(added);
    setAdding(false);
    done();
    notifyAccountChanged();
  };
  const place = usePage();
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs at every navigation to this page, even from itself
  useEffect(() => {
    if (location.hash !== '#authenticator') return;
    if (!security.authenticator) open('authenticator');
    document.getElementById('authenticator')?.scrollIntoView();
  }, [place]);
  const { authenticator, recovery_codes_left: left, remembered_devices: remembered } = security;
  const { recovery_codes_made_at: madeAt } = security;
  const { when } = useTimes();
  const value = (
    <>
      <Standing good={authenticator} label={authenticator ? 'security.on' : 'security.off'} />
      <Remark text={authenticator ? 'security.authenticator_on' : 'security.authenticator_off'} />
    </>
  );
  return (
    <Rows>
      <FormRow
        {...form('authenticator')}
        id="authenticator"
        label="security.authenticator"
        button={authenticator ? 'security.authenticator_remove' : 'security.authenticator_add'}
        danger={authenticator}
        said={wasAdded ? 'security.authenticator_added' : 'security.authenticator_removed'}
        value={value}
      >
        {(done, cancel) =>
          authenticator && !adding ? (
            <ConfirmAction
              text="security.authenticator_remove_text"
              label="security.authenticator_remove"
              cancel={cancel}
              done={() => changed(done, false)}
              act={async (signal) => {
                await sendRequest(removeAuthenticator, { signal });
              }}
            />
          ) : (
            <AddAuthenticator begun={setAdding} cancel={cancel} done={() => changed(done, true)} />
          )
        }
      </FormRow>
      {authenticator && (
        <FormRow
          {...form('codes')}
          label="security.recovery_codes"
          button="security.recovery_renew"
          value={
            <>
              <Text id="security.recovery_left" values={{ count: left }} />
              {madeAt !== null && (
                <Remark>
                  <Text id="security.recovery_made" values={{ when: when(madeAt) }} dir="auto" />
                </Remark>
              )}
              {left <= fewCodes && <Standing good={false} label="security.recovery_few" />}
            </>
          }
        >
          {(done, cancel) => <RenewRecoveryCodes cancel={cancel} done={() => changed(done)} />}
        </FormRow>
      )}
      {authenticator && remembered > 0 && (
        <FormRow
          {...form('remembered')}
          label="security.remembered"
          button="security.remembered_forget"
          danger
          value={
            <Remark>
              <Text id="security.remembered_count" values={{ count: remembered }} />
            </Remark>
          }
        >
          {(done, cancel) => (
            <ConfirmAction
              text="security.remembered_text"
              label="security.remembered_forget"
              cancel={cancel}
              done={() => changed(done)}
              act={async (signal) => {
                await sendRequest(forgetRememberedDevices, { signal });
              }}
            />
          )}
        </FormRow>
      )}
    </Rows>
  );
}

/**
 * Someone with the password asked to remove the second step. Any session can stop that, which the notice confirms. Takes
 * ISO 8601, or undefined without a planned removal.
 */
export function Removal({ at }: { at: string | undefined }) {
  const confirmation = useRef<HTMLDivElement>(null);
  const { when } = useTimes();
  const stopping = useRequest(async (signal) => {
    await sendRequest(keepSecondStep, { body: {}, signal });
    notifyAccountChanged();
  });
  const isStopped = stopping.state === 'success' && at === undefined;
  // The pressed button disappeared.
  useEffect(() => {
    if (isStopped) confirmation.current?.focus();
  }, [isStopped]);
  if (isStopped) {
    return <Notice kind="success" role="status" ref={confirmation} text="keep_second_step.done" />;
  }
  if (at === undefined) return null;
  return (
    <Notice kind="danger" role="alert">
      <Stack tight>
        <Paragraph id="security.removal" dir="auto" values={{ when: when(at) }} />
        <Button label="security.removal_stop" narrow request={stopping} />
        {stopping.error && <FailureWords failure={stopping.error} />}
      </Stack>
    </Notice>
  );
}

export type SecurityState = ResponseBody<typeof readSecurity>;

/** How the owner signs in, read when the component appears and after each change; undefined until the first read. */
export function useSecurity() {
  const [security, setSecurity] = useState<SecurityState>();
  const { start, restart, error } = useRequest(async (signal) => {
    setSecurity(await sendRequest(readSecurity, { signal }));
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, when the component appears
  useEffect(() => void start(), []);
  useAccountChanges(restart, start);
  return { security, failure: error, retry: restart };
}

/** Whether a dialog asks for a second step or a passkey, and forms therefore need no password. */
export const provesFirst = (security: SecurityState | undefined): boolean =>
  security !== undefined && (security.authenticator || !security.password);

interface AddAuthenticatorProps {
  /** Called before the authenticator works: another tab may then report the change while this form is open. */
  begun: (isOpen: boolean) => void;
  done: () => void;
  cancel: () => void;
}

const contract = () => import('./second-step-settings.contract.ts');

/** Sets up an authenticator app: its secret as a QR code and as text, its first code, then the recovery codes. */
function AddAuthenticator({ begun, done, cancel }: AddAuthenticatorProps) {
  const [secret, setSecret] = useState<ResponseBody<typeof beginAuthenticator>>();
  const made = useUnsavedCodes();
  const begin = useRequest(async (signal) => {
    try {
      setSecret(await sendRequest(beginAuthenticator, { body: {}, signal }));
    } catch (failure) {
      // The user closed the dialog that asked who they are.
      if (isCancelled(failure) && !signal.aborted) cancel();
      throw failure;
    }
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, when the form appears
  useEffect(() => {
    begun(true);
    void begin.start();
    return () => begun(false);
  }, []);
  if (made) return <RecoveryCodes made={made} done={done} />;
  if (secret)
    return (
      <Confirm
        secret={secret}
        confirmed={(given) => (given ? keepUnsavedCodes(given) : done())}
        cancel={cancel}
        again={begin.restart}
      />
    );
  return (
    <>
      <Failed failure={begin.error} />
      <Overdue waiting={begin.state === 'pending'} retry={begin.restart} />
      <Button label="account.cancel" quiet narrow onClick={cancel} />
    </>
  );
}

interface ConfirmProps {
  secret: ResponseBody<typeof beginAuthenticator>;
  /** Called with the recovery codes, unless the account has some. */
  confirmed: (made: ResponseBody<typeof renewRecoveryCodes> | undefined) => void;
  cancel: () => void;
  /** Requests another secret. */
  again: () => void;
}

function Confirm({ secret: { uri, secret }, confirmed, cancel, again }: ConfirmProps) {
  const form = useForm({
    contract,
    schema: ({ authenticatorForm }) => authenticatorForm,
    initial: { authenticator_code: '' },
    async send({ confirmAuthenticator }, { authenticator_code: code }, signal) {
      const { recovery_codes, recovery_codes_made_at } = await sendRequest(confirmAuthenticator, {
        ...{ body: { code }, signal },
      });
      confirmed(recovery_codes && recovery_codes_made_at ? { recovery_codes, recovery_codes_made_at } : undefined);
    },
  });
  const unfocused = useRef<HTMLElement>(null);
  const expired = form.failure?.code === 'code_expired';
  return (
    <FormStack {...form.props}>
      <ol className={css.steps}>
        <li>
          <Text id="security.authenticator_scan" />
          <div className={css.secret}>
            <QrCode text={uri} label="security.authenticator_qr" />
            <div className={css.typed}>
              <a className={css.open} href={uri}>
                <Text id="security.authenticator_open" />
              </a>
              <Text id="security.authenticator_key" />
              <Command command={secret.replace(/(.{4})(?=.)/g, '$1 ')} />
            </div>
          </div>
        </li>
        <li>
          <Text id="security.authenticator_code" />
        </li>
      </ol>
      <FormProblems form={{ ...form, summaryRef: unfocused }} help={clockHelp} />
      {expired && <Button label="security.authenticator_again" quiet narrow onClick={again} />}
      <CodeField form={form} name="authenticator_code" label="second_step.code" />
      <FormButtons form={form} label="security.authenticator_confirm" cancel={cancel} />
    </FormStack>
  );
}
