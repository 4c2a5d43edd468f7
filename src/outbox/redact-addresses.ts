/** Mail servers repeat addresses in their responses; logs must not contain full email addresses. */
export const redactAddresses = (text: string): string => text.replace(/[^\s<>"'()@]+@[^\s<>"'()@]+/g, '…');
