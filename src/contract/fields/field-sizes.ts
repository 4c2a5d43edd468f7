/** Characters that a text field must stay under (specification, section 9). */
export const textLimit = 180;
/** The last digits of the calling number, which confirm a phone (specification, section 9). */
export const phoneDigits = 4;
/** So many digits can only be a whole calling number that someone pasted. */
export const callingNumberMinLength = 7;
/** Digits in a message or a voice call: only their sender limits how many. */
export const sentDigits = 6;
/** Digits of an emailed sign-in code. */
export const mailCodeDigits = 6;
export const passwordMinLength = 6;
export const passwordMaxLength = 128;
/** Characters that a typed password must stay under: enough for imported accounts. */
export const passwordTypedLimit = 8 * passwordMaxLength;
export const promoCodeMinLength = 6;
export const dbTypeLimit = 64;
