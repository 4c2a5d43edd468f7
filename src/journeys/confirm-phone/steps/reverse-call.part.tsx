import { type ComponentType, useEffect, useState } from 'react';
import { Text } from '../../../browser/language/text.tsx';
import type { MessageId } from '../../../messages/ids.ts';
import css from './reverse-call.module.css';

/** Whom to call; the page hears of it by itself. On a phone the number is a button that calls, elsewhere a phone reads it. */
export function ReverseCall({ number }: { number: string }) {
  const QrCode = useQrCode();
  const address = `tel:${number.replaceAll(/[^+\d]/g, '')}`;
  return (
    <div className={css.call}>
      <p>
        <Text id="phone.reverse_how" />
      </p>
      <a className={css.number} href={address} dir="ltr">
        {number}
      </a>
      {QrCode && <QrCode text={address} label="phone.reverse_qr" />}
    </div>
  );
}

type Code = ComponentType<{ text: string; label: MessageId }>;

/** Only where somebody has a mouse, and so a phone beside it; without it there is still the number. */
function useQrCode(): Code | undefined {
  const [code, setCode] = useState<{ readonly Code: Code }>();
  useEffect(() => {
    if (!matchMedia('(pointer: fine)').matches) return;
    import('../../../ui/qr-code.tsx').then(
      ({ QrCode }) => setCode({ Code: QrCode }),
      () => undefined,
    );
  }, []);
  return code?.Code;
}
