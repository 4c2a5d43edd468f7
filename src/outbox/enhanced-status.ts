/** RFC 3463, section 3.2: nobody is there. `5.1.7` and `5.1.8` are said of the sender, and mended by the operator. */
const noSuchRecipient = /^5\.1\.(?!7\b|8\b)\d+\b/;

/** Whether an enhanced status code, with or without a comment behind it, says that the recipient does not exist. */
export const saysNoSuchAddress = (status: string): boolean => noSuchRecipient.test(status.trim());
