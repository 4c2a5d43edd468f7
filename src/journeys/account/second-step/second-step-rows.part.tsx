import { useEffect, useState } from 'react';
import { Text } from '../../../browser/language/text.tsx';
import { usePage } from '../../../browser/navigation/page.tsx';
import { notifyAccountChanged } from '../../../browser/requests/account-changes.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { FormRow, useForms } from '../layout/form-row.part.tsx';
import { Remark, Rows, Standing } from '../layout/row.part.tsx';
import { AddAuthenticator } from './add-authenticator.part.tsx';
import { ConfirmAction } from './confirm-action.part.tsx';
import { RenewRecoveryCodes } from './renew-recovery-codes.part.tsx';
import { forgetRememberedDevices, removeAuthenticator } from './second-step-settings.contract.ts';
import { useUnsavedCodes } from './unsaved-codes.part.ts';
import type { SecurityState } from './use-security.part.ts';

/** From this number of codes left, the page warns. */
const fewCodes = 3;

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
  const value = (
    <>
      <Standing good={authenticator} label={authenticator ? 'security.on' : 'security.off'} />
      <Remark>
        <Text id={authenticator ? 'security.authenticator_on' : 'security.authenticator_off'} />
      </Remark>
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
