// A node's outbox in a separate process, which the drill kills. Reports a claim before it sends the email.
import { startOutbox } from '../../src/outbox/delivery/outbox-worker.ts';
import { smtpSender } from '../../src/outbox/smtp/smtp.ts';
import { openSecrets } from '../../src/server/keys/stored-keys.ts';
import { openStore } from '../../src/store/database.ts';
import { pause } from './mail-service.ts';

interface Task {
  readonly dataDir: string;
  readonly databaseUrl?: string;
  readonly port: number;
  /** Offset of the clock, in milliseconds. */
  readonly offset: number;
}

const { offset, port, ...database }: Task = JSON.parse(process.argv[2] ?? '');
const secrets = openSecrets({ DATA_DIR: database.dataDir, DATABASE_URL: database.databaseUrl });
const store = openStore(database);
const smtp = smtpSender({ PUBLIC_URL: 'https://door.example', SMTP_URL: `smtp://127.0.0.1:${port}` });
const outbox = startOutbox({
  store,
  now: () => Date.now() + offset,
  secrets,
  config: {
    PRODUCT_NAME: 'Vestibule',
    PUBLIC_URL: 'https://door.example',
    MAIL_FROM: 'no-reply@door.example',
    LOG_LEVEL: 'silent',
  },
  sender: {
    ...smtp,
    send(mail) {
      process.stdout.write('claimed\n');
      return smtp.send(mail);
    },
  },
});
while ((await outbox.counts()).queued > 0) await pause(50);
await outbox.stop();
await store.destroy();
