import { parentPort, workerData } from 'node:worker_threads';
import { compare } from 'bcryptjs';
import { phpass, shaCrypt } from './crypt-hashes.ts';
import { equal } from './macs.ts';

const { password, hash } = workerData as { password: string; hash: string };

function matches(): boolean | Promise<boolean> {
  if (/^\$2/.test(hash)) return compare(password, hash);
  return equal(Buffer.from((/^\$[PH]/.test(hash) ? phpass : shaCrypt)(password, hash)), Buffer.from(hash));
}

parentPort?.postMessage(await matches());
