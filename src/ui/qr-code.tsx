import { encode } from 'uqr';
import { useText } from '../browser/language/text.tsx';
import type { MessageId } from '../messages/ids.ts';
import css from './qr-code.module.css';

/** Width of the quiet zone, in modules; scanners need it (ISO/IEC 18004, section 6.3.8). */
const quiet = 4;

/** A QR code. Always dark on light, since many scanners cannot read inverted codes. */
export function QrCode({ text, label }: { text: string; label: MessageId }) {
  const t = useText();
  const { data, size } = encode(text, { border: quiet });
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <svg className={css.code} viewBox={`0 0 ${size} ${size}`} role="img" aria-label={t(label)}>
      <path d={dark.join('')} />
    </svg>
  );
}
