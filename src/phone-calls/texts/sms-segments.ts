/** Characters that take one septet in a text message (3GPP TS 23.038, section 6.2.1). */
const gsm7 = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
);
/** Characters that take two septets (section 6.2.1.1). */
const extended = new Set('\f^{}\\[~]|€');

/** Capacity of a single message, and of each part of a divided one: in septets or UTF-16 units. */
const sizes = { gsm7: { one: 160, part: 153 }, ucs2: { one: 70, part: 67 } };

/** The number of text messages that the operator pays for. */
export function smsSegments(message: string): number {
  const letters = [...message];
  const isGsm7 = letters.every((letter) => gsm7.has(letter) || extended.has(letter));
  const length = isGsm7 ? letters.length + letters.filter((letter) => extended.has(letter)).length : message.length;
  const { one, part } = isGsm7 ? sizes.gsm7 : sizes.ucs2;
  return length <= one ? 1 : Math.ceil(length / part);
}
