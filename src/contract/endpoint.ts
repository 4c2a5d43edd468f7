import type * as z from 'zod/mini';
import type { FailureCode } from './failures.ts';

/** One kind of HTTP request: what the server mounts, the browser sends and the OpenAPI document describes. */
export interface Endpoint<
  Body extends z.ZodMiniType | undefined = z.ZodMiniType | undefined,
  Answer extends z.ZodMiniType | undefined = z.ZodMiniType | undefined,
  Query extends z.ZodMiniType | undefined = z.ZodMiniType | undefined,
  Params extends z.ZodMiniType | undefined = z.ZodMiniType | undefined,
> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With parameters as `/computers/:id`. */
  readonly path: string;
  readonly body?: Body;
  readonly query?: Query;
  /** What the path's parameters may be; strings. */
  readonly params?: Params;
  /** Status of success. */
  readonly status: 200 | 201 | 202 | 204;
  readonly answer?: Answer;
  /** `bearer`: needs `Authorization: Bearer <access token>`. */
  readonly auth?: 'bearer';
  readonly failures: readonly FailureCode[];
}

/** Declares an endpoint with its types kept. */
export const endpoint = <
  Body extends z.ZodMiniType | undefined = undefined,
  Answer extends z.ZodMiniType | undefined = undefined,
  Query extends z.ZodMiniType | undefined = undefined,
  Params extends z.ZodMiniType | undefined = undefined,
>(
  declared: Endpoint<Body, Answer, Query, Params>,
): Endpoint<Body, Answer, Query, Params> => declared;

type In<S> = S extends z.ZodMiniType ? z.input<S> : undefined;
type Out<S> = S extends z.ZodMiniType ? z.output<S> : undefined;

/** What a caller sends, what the server reads, and what both get back. */
export type BodySent<E> = E extends Endpoint<infer Body, infer _A, infer _Q, infer _P> ? In<Body> : never;
export type BodyRead<E> = E extends Endpoint<infer Body, infer _A, infer _Q, infer _P> ? Out<Body> : never;
export type QueryRead<E> = E extends Endpoint<infer _B, infer _A, infer Query, infer _P> ? Out<Query> : never;
export type QuerySent<E> = E extends Endpoint<infer _B, infer _A, infer Query, infer _P> ? In<Query> : never;
export type Answered<E> = E extends Endpoint<infer _B, infer Answer, infer _Q, infer _P> ? Out<Answer> : never;
export type ParamsRead<E> = E extends Endpoint<infer _B, infer _A, infer _Q, infer Params> ? Out<Params> : never;
