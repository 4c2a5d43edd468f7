import type { IncomingMessage, ServerResponse } from 'node:http';
import type { errors, KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { Service } from '../../../server/service.ts';
import { recordRefusal } from '../../../store/applications/clients.ts';

/** What the library decided about a request. Its headers are in the response that it was given. */
export interface Answer {
  readonly status: number;
  readonly body: string | undefined;
  readonly client: string | undefined;
  readonly account: string | undefined;
  readonly refusal: Refusal | undefined;
}

type ProtocolError = errors.OIDCProviderError & { readonly scope?: string };

/** Events with an error that the library has turned into a response. */
const failures = [
  'server_error',
  'authorization.error',
  'grant.error',
  'userinfo.error',
  'introspection.error',
  'revocation.error',
  'device_authorization.error',
  'pushed_authorization_request.error',
  'discovery.error',
] as const;

export type Answering = (request: IncomingMessage, response: ServerResponse) => Promise<Answer>;

/** Answers with a provider. Throws what is not a refusal of the protocol, such as a failure of the database. */
export function answerWith(provider: Provider): Answering {
  const thrown = new WeakMap<object, Error>();
  const ended = new WeakSet<object>();
  const events = provider as unknown as NodeJS.EventEmitter;
  for (const name of failures) events.on(name, (ctx: object, error: Error) => thrown.set(ctx, error));
  events.on('grant.revoked', (ctx: object) => ended.add(ctx));

  const handleRequest = async (ctx: KoaContextWithOIDC, run: (ctx: KoaContextWithOIDC) => Promise<void>) => {
    ctx.res.statusCode = 404;
    await run(ctx);
    // The library refuses to introspect a JWT, which `tokens.ts` then does.
    const isIntrospected = ctx.oidc?.route === 'introspection' && ctx.status === 200;
    const error = isIntrospected ? undefined : thrown.get(ctx);
    if (error && !isRefusal(error)) throw error;
    const { client, entities, session, route } = ctx.oidc ?? {};
    const account = entities?.Account?.accountId ?? session?.accountId;
    const isReplay = route === 'token' && ended.has(ctx);
    return {
      status: ctx.status,
      body: textOf(ctx.body),
      client: client?.clientId,
      account,
      refusal: error && {
        code: error.message,
        reason: isReplay ? 'reused' : undefined,
        ...describe(error, ctx.oidc?.params),
      },
    } satisfies Answer;
  };
  Object.assign(provider, { handleRequest });
  return provider.callback() as unknown as Answering;
}

const isRefusal = (error: Error): error is ProtocolError => (error as { expose?: boolean }).expose === true;

const textOf = (body: unknown): string | undefined =>
  body === undefined || body === null || typeof body === 'string' ? (body ?? undefined) : JSON.stringify(body);

/** Parameters whose values are no secrets; a wrong one is usually a mistake in the settings of the application. */
const shown = ['redirect_uri', 'scope', 'resource', 'response_type', 'response_mode', 'grant_type'] as const;
const longest = 200;

function describe(
  { error_description: description, error_detail: detail, message, scope }: ProtocolError,
  params: Readonly<Record<string, unknown>> | undefined,
): Pick<Refusal, 'explanation' | 'value'> {
  const explanation = [description, detail].filter(Boolean).join(': ') || message;
  const isAbout = (name: string) => explanation.includes(name) || (name === 'resource' && message === 'invalid_target');
  const name = shown.find(isAbout);
  const value = scope ?? (name && params?.[name]);
  return { explanation, value: typeof value === 'string' ? `${name ?? 'scope'}: ${withoutSecrets(value)}` : '' };
}

/** A query, or a user name and password in an address, may hold anything. */
const withoutSecrets = (value: string): string =>
  (value.replace(/\/\/[^/@]*@/, '//').split(/[?#]/, 1)[0] ?? '').slice(0, longest);

/** Why a request was refused, for operators. */
export interface Refusal {
  /** The error of the protocol, such as `invalid_grant`. */
  readonly code: string;
  /** What was used again although it works once: a code, or a refresh token of which someone has a copy. */
  readonly reason: 'reused' | undefined;
  /** As the library says it; one of a fixed number of texts. */
  readonly explanation: string;
  /** The wrong value of a parameter that holds no secret; otherwise empty. */
  readonly value: string;
}

/** Refusals that belong to the protocol: no operator needs to act on them. */
const ordinary: ReadonlySet<string> = new Set([
  'authorization_pending',
  'slow_down',
  'login_required',
  'consent_required',
  'interaction_required',
]);

interface Refused {
  /** The id of a client. */
  readonly client: string;
  readonly refusal: Refusal;
  readonly route: string;
  /** Finds the request in the log. */
  readonly reference: string;
}

/** Keeps a refusal for `vestibule clients why`. */
export async function keepRefusal(
  { store, storedRefusals, now }: Pick<Service, 'store' | 'storedRefusals' | 'now'>,
  { client, refusal: { code, explanation, value }, route, reference }: Refused,
): Promise<void> {
  const origin = { source: client, networks: [] };
  if (ordinary.has(code) || storedRefusals.wait(origin) > 0) return;
  storedRefusals.count(origin);
  const kept = { client_id: client, code, explanation, value, route, reference, at: now() };
  // The log has the refusal, which is right in any case.
  await recordRefusal(store, kept).catch(() => undefined);
}
