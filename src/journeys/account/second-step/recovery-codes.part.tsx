import { useEffect, useRef, useState } from 'react';
import { markClean, markDirty } from '../../../browser/forms/draft.ts';
import { useText } from '../../../browser/language/text.tsx';
import { useTimes } from '../../../browser/language/times.ts';
import { wasLeft } from '../../../browser/navigation/last-place.ts';
import { usePage } from '../../../browser/navigation/page.tsx';
import { saveFile } from '../../../browser/platform/save-file.ts';
import { cell, useCell } from '../../../browser/platform/storage.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { knownAccount } from '../../../browser/requests/session.ts';
import type { ResponseBody } from '../../../contract/endpoint.ts';
import { Button } from '../../../ui/button.tsx';
import { Notice } from '../../../ui/feedback/feedback.tsx';
import { ButtonRow, ConfirmAction } from '../layout/rows.part.tsx';
import css from './recovery-codes.module.css';
import { renewRecoveryCodes } from './second-step-settings.contract.ts';

type MadeCodes = ResponseBody<typeof renewRecoveryCodes>;

interface RecoveryCodesProps {
  made: MadeCodes;
  /** The owner has saved them. */
  done: () => void;
}

/** New recovery codes: shown once, to copy, print or download. */
export function RecoveryCodes({ made, done }: RecoveryCodesProps) {
  const { recovery_codes: codes, recovery_codes_made_at: madeAt } = made;
  const { when } = useTimes();
  const t = useText();
  const { productName } = usePage().settings;
  const [copied, setCopied] = useState(false);
  const notice = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => notice.current?.focus(), []);
  /** The owner has copied, downloaded or printed them. */
  const wasSaved = useRef(false);
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => {
      if (!wasSaved.current && !wasLeft()) event.preventDefault();
    };
    // A new build must not reload the page.
    markDirty(list);
    addEventListener('beforeunload', ask);
    return () => {
      markClean(list);
      removeEventListener('beforeunload', ask);
    };
  }, []);
  // Editors and printers may show the soft hyphens of long words.
  const heading = `${productName}: ${t('security.recovery_codes').replaceAll('\u00ad', '')}`;
  const email = knownAccount.read()?.email ?? '';
  const madeText = t('security.recovery_made', { when: when(madeAt) });
  const text = [heading, email, madeText, '', ...codes, ''].join('\n');
  const copy = async () => {
    try {
      // Throws without TLS: there is no clipboard.
      await navigator.clipboard.writeText(codes.join('\n'));
      setCopied(true);
      wasSaved.current = true;
    } catch {
      if (list.current) getSelection()?.selectAllChildren(list.current);
    }
  };
  const saving = (save: () => void) => () => {
    save();
    wasSaved.current = true;
  };
  const leave = () => {
    forgetUnsavedCodes();
    done();
  };
  return (
    <>
      <Notice kind="info" role="status" ref={notice} text="security.recovery_shown" />
      <div className={css.sheet}>
        <p className={css.heading}>
          {heading}
          <br />
          <bdi dir="ltr">{email}</bdi>
          <br />
          {madeText}
        </p>
        <ol ref={list} className={css.codes} dir="ltr" translate="no">
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ol>
      </div>
      <ButtonRow>
        <Button
          label={copied ? 'computers_add.copied' : 'computers_add.copy'}
          quiet
          narrow
          onClick={() => void copy()}
        />
        <Button
          label="account.download"
          quiet
          narrow
          onClick={saving(() => saveFile('recovery-codes.txt', { parts: [text], type: 'text/plain' }))}
        />
        <Button label="security.recovery_print" quiet narrow onClick={saving(() => print())} />
      </ButtonRow>
      <ButtonRow>
        <Button label="security.recovery_saved" narrow onClick={leave} />
      </ButtonRow>
    </>
  );
}

/** Replaces the recovery codes; the previous ones stop working. */
export function RenewRecoveryCodes({ done, cancel }: { done: () => void; cancel: () => void }) {
  const made = useUnsavedCodes();
  if (made) return <RecoveryCodes made={made} done={done} />;
  return (
    <ConfirmAction
      text="security.recovery_renew_text"
      label="security.recovery_renew"
      cancel={cancel}
      done={() => undefined}
      act={async (signal) => {
        keepUnsavedCodes(await sendRequest(renewRecoveryCodes, { body: {}, signal }));
      }}
    />
  );
}

/**
 * Recovery codes that the owner has not saved. The server has only their hashes, so they stay in this tab while the owner
 * visits other pages.
 */
const unsaved = cell<MadeCodes | undefined>(undefined);

knownAccount.follow(() => {
  // Whoever signs in next is someone else.
  if (!knownAccount.read()) unsaved.write(undefined);
});

export const keepUnsavedCodes = (made: MadeCodes): void => unsaved.write(made);
const forgetUnsavedCodes = (): void => unsaved.write(undefined);
export const useUnsavedCodes = (): MadeCodes | undefined => useCell(unsaved, () => undefined);
