import { sha256 } from './secrets.ts';

/** The stored form of a client's secret. The id makes equal secrets of two clients differ. */
export const clientSecretHash = (clientId: string, secret: string): string => sha256(`${clientId}:${secret}`);
