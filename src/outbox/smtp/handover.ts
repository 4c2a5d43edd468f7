import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Transporter } from 'nodemailer';

/** One email during its transfer to the server. */
export interface Handover {
  /** The server has received all of it: from now on it may have stored it, whatever happens to the connection. */
  isWhole: boolean;
  /** Returns the message to transfer, for example with a signature. */
  readonly finish: (message: Buffer) => Buffer;
}

/** Records when the server has received all of an email: nodemailer's errors do not include this. */
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

/** Reads the message only when the server requests the data; a transform would read ahead. */
async function* handOver(input: Readable, handover: Handover): AsyncGenerator<Buffer> {
  yield handover.finish(await buffer(input));
  handover.isWhole = true;
}
