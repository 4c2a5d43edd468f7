/** Labels of COSE keys (RFC 9052, section 7; RFC 9053; RFC 8230). */
const [keyType, algorithm, curve, first, second] = [1, 3, -1, -2, -3];
const [octetKeyPair, ellipticCurve, rsa] = [1, 2, 3];
const [p256, ed25519] = [1, 6];
/** Bytes of an RSA modulus: 2048 to 4096 bits. A larger one would make every verification slow. */
const [leastModulus, mostModulus] = [256, 512];
const mostExponent = 4;

const hasBytes = (value: unknown, least: number, most = least): boolean =>
  value instanceof Uint8Array && value.length >= least && value.length <= most;

/** Whether a COSE key has the type, curve and sizes that its algorithm requires. */
export function isUsableKey(key: ReadonlyMap<number, unknown>): boolean {
  const [type, x, y] = [key.get(keyType), key.get(first), key.get(second)];
  switch (key.get(algorithm)) {
    case -7:
      return type === ellipticCurve && key.get(curve) === p256 && hasBytes(x, 32) && hasBytes(y, 32);
    case -8:
      return type === octetKeyPair && key.get(curve) === ed25519 && hasBytes(x, 32);
    case -257:
      // For RSA, the labels -1 and -2 are the modulus and the exponent.
      return type === rsa && hasBytes(key.get(curve), leastModulus, mostModulus) && hasBytes(x, 1, mostExponent);
    default:
      return false;
  }
}
