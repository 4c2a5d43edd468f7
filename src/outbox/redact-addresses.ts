/** Mail servers repeat the address in their answers; a log holds no full e-mail address. */
export const redactAddresses = (text: string): string => text.replace(/[^\s<>"'()@]+@[^\s<>"'()@]+/g, '…');
