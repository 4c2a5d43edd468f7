import { createCipheriv, scrypt as derive } from 'node:crypto';
import { promisify } from 'node:util';
import { equal } from '../secrets.ts';
import { bytesOf, type Scheme } from './scheme.ts';

interface Cost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

const mostBytes = 256 * 1024 * 1024;
const bytesFor = ({ N, r }: Cost) => 128 * N * r;
const isBearable = (cost: Cost) =>
  Object.values(cost).every((value) => value >= 1) && bytesFor(cost) <= mostBytes && cost.p <= 16;

const scryptOf = promisify<string, Buffer, number, object, Buffer>(derive);
const keyOf = (password: string, { salt, length, cost }: { salt: Buffer; length: number; cost: Cost }) =>
  scryptOf(password, salt, length, { ...cost, maxmem: 2 * bytesFor(cost) + 1024 * 1024 });

const costOf = ({ ln, r, p }: Readonly<Record<string, string | undefined>>): Cost => ({
  N: 2 ** Number(ln),
  r: Number(r),
  p: Number(p ?? 1),
});

/** PHC string: `$scrypt$ln=15,r=8,p=1$salt$hash`. */
export const scrypt: Scheme = {
  form: /^\$scrypt\$ln=(?<ln>\d{1,2}),r=(?<r>\d{1,3}),p=(?<p>\d{1,2})\$(?<salt>[\w+/.=-]+)\$(?<key>[\w+/.=-]{22,})$/,
  isBearable: (parts) => isBearable(costOf(parts)),
  async verify({ salt, key, ...parts }, { password }) {
    const right = bytesOf(key);
    return equal(await keyOf(password, { salt: bytesOf(salt), length: right.length, cost: costOf(parts) }), right);
  },
};

/**
 * Firebase Authentication's variant: `$firebase-scrypt$ln=14,r=8,sep=…,key=…$salt$hash` with the project's memory cost,
 * rounds, salt separator and signer key. The hash is the signer key, encrypted with scrypt's output.
 */
export const firebaseScrypt: Scheme = {
  form: /^\$firebase-scrypt\$ln=(?<ln>\d{1,2}),r=(?<r>\d{1,3}),sep=(?<separator>[\w+/=-]*),key=(?<signer>[\w+/=-]{22,})\$(?<salt>[\w+/=-]+)\$(?<key>[\w+/=-]{22,})$/,
  isBearable: (parts) => isBearable(costOf(parts)),
  async verify({ salt, separator, signer, key, ...parts }, { password }) {
    const salted = Buffer.concat([bytesOf(salt), bytesOf(separator)]);
    const derived = await keyOf(password, { salt: salted, length: 32, cost: costOf(parts) });
    const cipher = createCipheriv('aes-256-ctr', derived, Buffer.alloc(16));
    return equal(Buffer.concat([cipher.update(bytesOf(signer)), cipher.final()]), bytesOf(key));
  },
};
