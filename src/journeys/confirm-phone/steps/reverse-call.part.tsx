import { type ComponentType, useEffect, useState } from 'react';
import { Text } from '../../../browser/language/text.tsx';
import type { MessageId } from '../../../messages/ids.ts';
import css from './reverse-call.module.css';

/** The number to call, as a link and, on devices with a mouse, a QR code; the page detects the call itself. */
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

/** Only on devices with a mouse, whose users scan it with a phone; if it fails to load, the number remains. */
function useQrCode(): Code | undefined {
  const [code, setCode] = useState<{ readonly Code: Code }>();
  useEffect(() => {
    if (!matchMedia('(pointer: fine)').matches) return;
    import('../../../ui/qr-code.tsx').then(({ QrCode }) => setCode({ Code: QrCode })).catch(() => undefined);
  }, []);
  return code?.Code;
}
