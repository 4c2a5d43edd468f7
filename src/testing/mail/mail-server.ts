import { onTestFinished } from 'vitest';
import { type MailServer, type MailServerOptions, openMailServer } from './smtp-server.ts';

/** A real SMTP server on this machine, until the test ends. */
export async function startMailServer(options: MailServerOptions = {}): Promise<MailServer> {
  const server = await openMailServer(options);
  onTestFinished(server.close);
  return server;
}
