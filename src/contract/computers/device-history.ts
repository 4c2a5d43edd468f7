/** Hours that a digit of a history stands for. */
export const historyHours = 3;
/** Digits of a history: thirty days. */
export const historyLength = 240;
