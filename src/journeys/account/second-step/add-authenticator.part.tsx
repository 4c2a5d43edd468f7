import { useEffect, useRef, useState } from 'react';
import { useForm } from '../../../browser/forms/form.ts';
import { Text } from '../../../browser/language/text.tsx';
import { isCancelled } from '../../../browser/requests/request-failure.ts';
import { useRequest } from '../../../browser/requests/request-status.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import type { ResponseBody } from '../../../contract/endpoint.ts';
import { Button } from '../../../ui/button.tsx';
import { Command } from '../../../ui/command.tsx';
import { Failed, Overdue } from '../../../ui/feedback/feedback.tsx';
import { FormProblems } from '../../../ui/feedback/form-problems.tsx';
import { CodeField, clockHelp } from '../../../ui/fields/code-field.tsx';
import { FormStack } from '../../../ui/layouts/card.tsx';
import { QrCode } from '../../../ui/qr-code.tsx';
import { FormButtons } from '../layout/rows.part.tsx';
import css from './add-authenticator.module.css';
import { keepUnsavedCodes, RecoveryCodes, useUnsavedCodes } from './recovery-codes.part.tsx';
import { beginAuthenticator, type renewRecoveryCodes } from './second-step-settings.contract.ts';

interface AddAuthenticatorProps {
  /** Called before the authenticator works: another tab may then report the change while this form is open. */
  begun: (isOpen: boolean) => void;
  done: () => void;
  cancel: () => void;
}

const contract = () => import('./second-step-settings.contract.ts');

/** Sets up an authenticator app: its secret as a QR code and as text, its first code, then the recovery codes. */
export function AddAuthenticator({ begun, done, cancel }: AddAuthenticatorProps) {
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
