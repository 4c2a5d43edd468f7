import type { FastifyRequest } from 'fastify';
import type { Auth, Endpoint } from '../../contract/endpoint.ts';
import type { Service } from '../../server/service.ts';
import { authenticate, authenticateDevice, type DevicePrincipal, type Principal } from './authentication.ts';

/** The principal that a handler receives for each kind of `auth`. */
interface Principals {
  bearer: { readonly signedIn: Principal };
  device: { readonly device: DevicePrincipal };
}

/** The principal of an endpoint; without `auth` there is no principal to read. */
export type PrincipalOf<E> = E extends { readonly auth: infer Kind extends Auth } ? PrincipalOfKind<Kind> : object;
type PrincipalOfKind<Kind extends Auth> = Kind extends Auth ? Principals[Kind] : never;

/** One function for each kind of `auth`. It returns the principal, or throws the failure that the client receives. */
const required: { [Kind in Auth]: (service: Service, request: FastifyRequest) => Promise<Principals[Kind]> } = {
  bearer: async (service, request) => ({ signedIn: await authenticate(service, request) }),
  device: async (service, request) => ({ device: await authenticateDevice(service, request) }),
};

/** Requires the principal that an endpoint names. Throws a `Failure` if the request does not prove it. */
export async function requirePrincipal<E extends Endpoint>(
  { auth }: E,
  service: Service,
  request: FastifyRequest,
): Promise<PrincipalOf<E>> {
  return (auth && (await required[auth](service, request))) as PrincipalOf<E>;
}
