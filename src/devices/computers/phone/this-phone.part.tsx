import { useEffect, useEffectEvent, useState } from 'react';
import { Paragraph } from '../../../browser/language/text.tsx';
import { usePage } from '../../../browser/navigation/page.tsx';
import { useRequest } from '../../../browser/requests/request-status.ts';
import { knownAccount } from '../../../browser/requests/session.ts';
import { Button } from '../../../ui/button.tsx';
import { Failed } from '../../../ui/feedback/feedback.tsx';
import { addOwnPhone, isApple, isInstalled, ownPhone, removeOwnPhone } from './own-phone.part.ts';
import { reportWhileOpen } from './report.part.ts';
import css from './this-phone.module.css';

interface ThisPhoneProps {
  /** Adds this phone; undefined once it has expired. */
  readonly code: string | undefined;
  /** Requests another code. */
  readonly ask: () => void;
}

/** Adds the smartphone that shows this page, or removes it. It promises no more than a phone grants to a page. */
export function ThisPhone({ code, ask }: ThisPhoneProps) {
  const { settings } = usePage();
  const account = knownAccount.read()?.id;
  const [added, setAdded] = useState(() => account !== undefined && ownPhone()?.account === account);
  const [wanted, setWanted] = useState(false);
  const adding = useRequest(async (signal) => {
    if (account === undefined || code === undefined) return;
    await addOwnPhone({ account, code }, signal);
    reportWhileOpen();
    setAdded(true);
  });
  const removing = useRequest(async () => {
    await removeOwnPhone();
    setAdded(false);
  });
  const begin = useEffectEvent(() => {
    setWanted(false);
    void adding.start();
  });
  useEffect(() => {
    if (wanted && code !== undefined) begin();
  }, [wanted, code]);

  if (added)
    return (
      <div className={css.phone}>
        <Paragraph id="computers_add.phone_added" />
        <Failed failure={removing.error} />
        <Button
          label="computers_add.phone_stop"
          busy={removing.state === 'pending' ? 'form.wait' : undefined}
          quiet
          narrow
          onClick={() => void removing.start()}
        />
      </div>
    );
  return (
    <div className={css.phone}>
      <Paragraph id="computers_add.phone" />
      {isApple() && !isInstalled() ? (
        <Paragraph id="computers_add.phone_apple" values={{ product: settings.productName }} />
      ) : (
        <>
          <Failed failure={adding.error} />
          <Button
            label="computers_add.phone_add"
            busy={wanted || adding.state === 'pending' ? 'form.wait' : undefined}
            narrow
            onClick={() => {
              setWanted(true);
              if (code === undefined) ask();
            }}
          />
          {!isApple() && !isInstalled() && <Paragraph id="computers_add.phone_install" />}
        </>
      )}
    </div>
  );
}
