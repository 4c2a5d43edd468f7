import { type AddressInfo, createServer } from 'node:net';
import { onTestFinished } from 'vitest';
import { type MailServer, type MailServerOptions, openMailServer } from './smtp-server.ts';

/** A real SMTP server on this machine, until the test ends. */
export async function startMailServer(options: MailServerOptions = {}): Promise<MailServer> {
  const server = await openMailServer(options);
  onTestFinished(server.close);
  return server;
}

/** Replies by the command's verb, instead of `250 ok`; `GREETING` opens the connection, `MESSAGE` follows the data. */
export type SmtpReplies = Readonly<Record<string, string>>;

interface BluntMailServer {
  readonly port: number;
  /** The commands as received. */
  readonly commands: readonly string[];
}

const usual: SmtpReplies = { GREETING: '220 mail.example', QUIT: '221 bye', DATA: '354 go on', MESSAGE: '250 taken' };

/** A mail server that replies exactly as a test wants, which no library allows; runs until the test ends. */
export async function startBluntMailServer(responses: SmtpReplies): Promise<BluntMailServer> {
  const says = (verb: string) => `${responses[verb] ?? usual[verb] ?? '250 ok'}\r\n`;
  const commands: string[] = [];
  const server = createServer((socket) => {
    let heard = '';
    let inData = false;
    // A client that does not understand the replies may disconnect.
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      heard += chunk.toString('latin1');
      for (;;) {
        const end = inData ? '\r\n.\r\n' : '\r\n';
        const at = heard.indexOf(end);
        if (at < 0) return;
        const line = heard.slice(0, at);
        const verb = inData ? 'MESSAGE' : verbOf(line);
        if (!inData) commands.push(line);
        heard = heard.slice(at + end.length);
        inData = verb === 'DATA' && says(verb).startsWith('354');
        socket.write(says(verb), 'latin1');
      }
    });
    socket.write(says('GREETING'), 'latin1');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, commands };
}

const verbOf = (line: string): string => line.split(' ', 1)[0]?.toUpperCase() ?? '';
