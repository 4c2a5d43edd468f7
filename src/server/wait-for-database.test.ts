import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { runCommand } from '../testing/command-line.ts';
import { freshDatabase } from '../testing/databases/databases.ts';
import { testCertificate } from '../testing/mail/certificates.ts';

const encrypt = (socket: Socket) => {
  socket.write('S');
  new TLSSocket(socket, { isServer: true, ...testCertificate }).on('error', () => undefined);
};

test.each<[string, (socket: Socket) => void, RegExp]>([
  [
    'with a certificate of an unknown authority',
    encrypt,
    /^(?:self-signed certificate|unable to verify the first certificate).*set NODE_EXTRA_CA_CERTS to the file of its authority$/,
  ],
  ['without TLS', (socket) => void socket.write('N'), /^The server does not support SSL connections$/],
  ['that never responds', () => undefined, /^it accepts connections, but does not respond$/],
  ['that hangs up', (socket) => void socket.end(), /./],
  ['that is not a PostgreSQL', (socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'), /./],
])('a PostgreSQL %s is reported in one sentence', async (_what, respond, says) => {
  const { dataDir } = await freshDatabase('sqlite');
  const server = createServer((socket) => {
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => undefined).once('data', () => respond(socket));
  });
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { code, err } = await migrate(dataDir, `postgres://nobody:secret@127.0.0.1:${port}/none?sslmode=verify-full`);
  const [, problem = err] = /^DATABASE_URL: PostgreSQL cannot be used: (.*)\n$/.exec(err) ?? [];
  expect(problem).toMatch(says);
  expect([code, err.split('\n').length]).toEqual([2, 2]);
});

test('a name that DNS does not know is reported in one sentence', async () => {
  const { dataDir } = await freshDatabase('sqlite');
  const { code, err } = await migrate(dataDir, 'postgres://nobody:secret@nowhere.invalid/none');
  expect([code, err]).toEqual([
    2,
    expect.stringMatching(
      /^DATABASE_URL: PostgreSQL cannot be used: the address of nowhere\.invalid cannot be looked up \(E[A-Z_]+\)\n$/,
    ),
  ]);
});

const migrate = (folder: string, url: string) =>
  runCommand(['migrate'], { folder, settings: { DATA_DIR: folder, DATABASE_URL: url, PHONE_CONFIRMATION: 'off' } });
