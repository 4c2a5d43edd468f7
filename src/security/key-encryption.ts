import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** Encrypts keys for the database with AES-256-GCM; without a secret, it stores them in plain text. */
export interface KeyEncryption {
  seal(secret: Buffer): string;
  /** Throws if `sealed` was encrypted with another secret. */
  open(sealed: string): Buffer;
}

const nonceBytes = 12;
const tagBytes = 16;

export function openKeyEncryption(operatorSecret: string | undefined): KeyEncryption {
  const key = operatorSecret && Buffer.from(hkdfSync('sha256', operatorSecret, '', 'vestibule key box', 32));
  return {
    seal(secret) {
      if (!key) return `plain.${secret.toString('base64url')}`;
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      const sealed = Buffer.concat([nonce, cipher.update(secret), cipher.final(), cipher.getAuthTag()]);
      return `gcm.${sealed.toString('base64url')}`;
    },
    open(sealed) {
      const [kind, text = ''] = sealed.split('.');
      const bytes = Buffer.from(text, 'base64url');
      if (kind === 'plain') return bytes;
      if (kind !== 'gcm' || !key) throw new Error('the keys in the database are encrypted, but SECRET_KEY is not set');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes));
      decipher.setAuthTag(bytes.subarray(-tagBytes));
      return Buffer.concat([decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()]);
    },
  };
}
