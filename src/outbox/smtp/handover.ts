import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Transporter } from 'nodemailer';

/** One mail on its way to the server. */
export interface Handover {
  /** The server has been given all of it: from here on it may have stored it, whatever happens to the connection. */
  isWhole: boolean;
  /** The message as it leaves, such as with a signature. */
  readonly finish: (message: Buffer) => Buffer;
}

/** Notes for each mail when the server has all of it, which nodemailer's errors do not say. */
export function watchHandovers(
  transport: Pick<Transporter, 'use'>,
  handovers: Pick<WeakMap<AbortSignal, Handover>, 'get'>,
): void {
  transport.use('stream', (mail, done) => {
    const handover = mail.data.signal && handovers.get(mail.data.signal);
    if (handover) mail.message.processFunc((input: Readable) => Readable.from(handOver(input, handover)));
    done();
  });
}

/** Reads the message only once the server has asked for the data; a transform would read ahead. */
async function* handOver(input: Readable, handover: Handover): AsyncGenerator<Buffer> {
  yield handover.finish(await buffer(input));
  handover.isWhole = true;
}
