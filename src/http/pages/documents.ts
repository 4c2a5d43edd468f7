import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Failure, referencePlaceholder } from '../../contract/failures.ts';
import { defaultLanguage, isLanguageCode, pathIn, splitPath } from '../../contract/languages.ts';
import {
  isForGuardedHost,
  localeCookie,
  localeCookieLifetime,
  patternOf,
  sessionHintCookie,
} from '../../contract/pages.ts';
import { shareCopies } from '../../runtime/shared-copies.ts';
import type { Service } from '../../server/service.ts';
import { runScheduled } from '../mount.ts';
import { sendProblem } from '../problems.ts';
import { type CompressedText, decompress, isKnown, tagOf } from '../responses/compression.ts';
import { openNegotiation } from '../responses/negotiation.ts';
import { ensureCsrf } from '../session/csrf.ts';
import { openOperators } from '../session/operator-principal.ts';
import type { Page } from './page.ts';

/** The routes of a server, which grow as they are mounted. */
export interface Routes {
  /** Whether a route begins like a path: `/account/sessions` like `/account/x`. */
  beginLike(path: string): boolean;
  methodsAt(path: string): readonly string[];
  /** Whether a path without parameters has no such method. The router may find a route with parameters for it. */
  lacks(request: Pick<FastifyRequest, 'method' | 'url'>): boolean;
}

export function routesOf(app: FastifyInstance): Routes {
  const segments = new Set<string>();
  const fixed = new Map<string, string[]>();
  const patterns: { readonly methods: string[]; readonly pattern: RegExp }[] = [];
  app.addHook('onRoute', ({ url, method }) => {
    const first = segmentOf(url);
    if (!/^[\w.-]+$/.test(first)) return;
    // Under the prefix of a language, everything else is a page.
    if (!isLanguageCode(first)) segments.add(first);
    const methods = [method].flat();
    if (!/[:*]/.test(url)) return void fixed.set(url, [...(fixed.get(url) ?? []), ...methods]);
    const pattern = url.replace(/[.]/g, '\\.').replace(/:\w+/g, '[^/]+').replace('*', '.*');
    patterns.push({ methods, pattern: new RegExp(`^${pattern}$`) });
  });
  return {
    beginLike: (path) => segments.has(segmentOf(path)),
    methodsAt: (path) =>
      fixed.get(path) ?? patterns.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods),
    lacks: ({ method, url }) => fixed.get(pathOf(url))?.includes(method) === false,
  };
}

const segmentOf = (path: string): string => path.split('/', 2)[1] ?? '';
const pathOf = (url: string): string => url.split('?', 1)[0] as string;

/** Files of a page: a browser that requests an unknown one can do nothing with a page. */
const assetNames = /\.(?:css|js|mjs|map|json|png|svg|ico|webp|woff2|wasm)$/;

/**
 * Serves the pre-rendered pages, including the pages for unknown paths and for errors. A program gets a problem document
 * for an unknown path that begins like a route, as from an endpoint.
 */
export function serveDocuments(app: FastifyInstance, service: Service, routes: Routes): void {
  const { wantedLanguage, wantedCoding } = openNegotiation();
  const { pageAt, hasFixedPath, payloadAt, movedTo } = indexPages(service.pages);
  const { mayOpenConsole } = openOperators(service);
  const plain = shareCopies(decompress);
  const parts = shareCopies((text: CompressedText) => partsBetween(plain(text), referencePlaceholder));
  const withReference = (text: CompressedText, reference: string): Buffer[] =>
    parts(text).flatMap((part, at) => (at === 0 ? [part] : [Buffer.from(reference), part]));

  app.get('/*', { errorHandler: failed }, (request, reply) => {
    const path = pathOf(request.url);
    const page = pageAt(path);
    const payload = payloadAt(path);
    const moved = movedTo(path);
    const target = page ?? payload?.page ?? (moved === undefined ? undefined : pageAt(moved));
    const send = () => {
      if (page) return path === '/' ? sendHome(request, reply, page) : sendDocument(request, reply, page);
      if (payload) return sendPayload(request, reply, payload);
      if (moved === undefined) return notFound(request, reply);
      return reply
        .code(308)
        .header('cache-control', 'no-store')
        .header('location', moved + queryOf(request))
        .send();
    };
    return target?.kind === 'operator' ? sendToOperators(request, reply, send) : send();
  });
  app.decorate('sendErrorPage', (request: FastifyRequest, reply: FastifyReply) =>
    sendOwnPage(request, reply, reply.statusCode === 404 ? 'not-found' : 'error'),
  );
  app.setNotFoundHandler(notFound);
  app.addHook('onRequest', (request, reply, done) => {
    // Before the body is read, which may be in a form that no endpoint accepts.
    if (request.is404 || routes.lacks(request)) notFound(request, reply);
    else done();
  });

  /** To everyone else, a page of the console does not exist. */
  async function sendToOperators(request: FastifyRequest, reply: FastifyReply, send: () => FastifyReply) {
    const { invitation } = request.query as { readonly invitation?: unknown };
    const text = typeof invitation === 'string' ? invitation : undefined;
    const may = await runScheduled(service, request, () => mayOpenConsole(request, text));
    return may ? send() : notFound(request, reply);
  }

  function sendHome(request: FastifyRequest, reply: FastifyReply, page: Page) {
    const language = wantedLanguage(request);
    reply.header('vary', 'Accept-Language, Cookie');
    if (language === defaultLanguage) return sendDocument(request, reply, page);
    service.cookies.show(reply, { name: localeCookie, value: language, lifetime: localeCookieLifetime });
    return reply
      .code(302)
      .header('cache-control', 'no-store')
      .header('location', pathIn(language, '/') + queryOf(request))
      .send();
  }

  function sendDocument(request: FastifyRequest, reply: FastifyReply, page: Page) {
    ensureCsrf(service, request, reply);
    hintSession(request, reply);
    reply
      .type('text/html; charset=utf-8')
      .header('cache-control', 'no-store')
      .header('content-language', page.language);
    if (hasFixedPath(page)) return sendEncoded(request, reply, page.html);
    return reply.send(Readable.from(withReference(page.html, request.id)));
  }

  /** A browser with a session cookie but without the hint would never refresh its session. */
  function hintSession(request: FastifyRequest, reply: FastifyReply): void {
    const hasSession = service.cookies.refreshToken(request) !== undefined;
    if (hasSession && request.cookies[sessionHintCookie] === undefined) service.cookies.hintSession(reply);
  }

  function sendPayload(request: FastifyRequest, reply: FastifyReply, { page, tag }: Payload) {
    reply.header('cache-control', 'no-cache').header('etag', tag);
    if (isKnown(request, tag)) return reply.code(304).send();
    return sendEncoded(request, reply.type('application/json; charset=utf-8'), page.payload);
  }

  function notFound(request: FastifyRequest, reply: FastifyReply) {
    // Pages, cookies and redirects of ours are not for the host of an application.
    if (isForGuardedHost(request.url)) return sendProblem(reply, new Failure('not_found'));
    const path = pathOf(request.url);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const redirect = isRead ? service.redirectRules(path) : undefined;
    if (redirect) {
      const location = redirect.includes('?') ? redirect : redirect + queryOf(request);
      return reply.code(302).header('cache-control', 'no-store').header('location', location).send();
    }
    const methods = [...routes.methodsAt(path), ...(isPublic(pageAt(path)) ? ['GET', 'HEAD'] : [])];
    if (methods.length > 0 && !methods.includes(request.method)) {
      reply.header('allow', [...new Set(methods)].toSorted().join(', '));
      return sendProblem(reply, new Failure('method_not_allowed'));
    }
    const isForProgram = routes.beginLike(path) && !isNavigation(request);
    if (isForProgram || assetNames.test(path) || !isRead) return sendProblem(reply, new Failure('not_found'));
    return sendOwnPage(request, reply.code(404), 'not-found');
  }

  function failed(error: Error, request: FastifyRequest, reply: FastifyReply) {
    // A hook refused the request before it reached the page.
    if (error instanceof Failure) return sendProblem(reply, error);
    app.logError({ log: request.log, level: 'error', error, says: 'a page could not be sent' });
    return sendOwnPage(request, reply.code(500), 'error');
  }

  /** These pages show the request's id as a reference, so that the operator can find it in the log. */
  function sendOwnPage(request: FastifyRequest, reply: FastifyReply, name: 'not-found' | 'error') {
    const { language: prefixed } = splitPath(request.url);
    const language = prefixed === defaultLanguage ? wantedLanguage(request) : prefixed;
    const page = service.pages.find((candidate) => candidate.page === name && candidate.language === language) as Page;
    return sendDocument(request, reply, page);
  }

  function sendEncoded(request: FastifyRequest, reply: FastifyReply, text: CompressedText) {
    const vary = reply.getHeader('vary');
    reply.header('vary', vary === undefined ? 'Accept-Encoding' : `${vary}, Accept-Encoding`);
    const coding = wantedCoding(request);
    return coding ? reply.header('content-encoding', coding).send(text[coding]) : reply.send(plain(text));
  }
}

/** Whether everyone may know that there is such a page. */
const isPublic = (page: Page | undefined): boolean => page !== undefined && page.kind !== 'operator';

/** Parts of a text, which share its memory. */
function partsBetween(text: Buffer, separator: string): readonly Buffer[] {
  const parts: Buffer[] = [];
  let from = 0;
  for (let at = text.indexOf(separator); at !== -1; at = text.indexOf(separator, from)) {
    parts.push(text.subarray(from, at));
    from = at + separator.length;
  }
  return [...parts, text.subarray(from)];
}

const queryOf = (request: FastifyRequest): string => {
  const at = request.url.indexOf('?');
  return at === -1 ? '' : request.url.slice(at);
};

/** A page's data, which browsers fetch when they go to it from another page. */
interface Payload {
  readonly page: Page;
  /** Its entity tag. */
  readonly tag: string;
}

/** Finds pages by the path of a request. */
function indexPages(pages: readonly Page[]) {
  const routed = pages.filter(({ kind }) => kind !== 'instead');
  const byPath = new Map(routed.map((page) => [page.path, page]));
  const withParameters = routed
    .filter(({ path }) => path.includes('/:'))
    .map((page) => ({ page, pattern: patternOf(page.path) }));
  const withPayload = new Map(pages.map((page) => [`${page.path}_payload.json`, page]));
  const payloads = new Map<Page, Payload>();
  const pageAt = (path: string): Page | undefined =>
    byPath.get(path) ?? withParameters.find(({ pattern }) => pattern.test(path))?.page;
  return {
    pageAt,
    /** Whether the page has a path of its own, without parameters. */
    hasFixedPath: ({ path }: Page): boolean => byPath.has(path),
    payloadAt(path: string): Payload | undefined {
      const page = withPayload.get(path);
      if (!page) return undefined;
      const payload = payloads.get(page) ?? { page, tag: tagOf(page.payload.br) };
      payloads.set(page, payload);
      return payload;
    },
    /** Where a path without its final slash, or with the prefix of the default language, leads. Only to known pages. */
    movedTo(path: string): string | undefined {
      const slashed = path.endsWith('/') ? path : `${path}/`;
      const bare = slashed.startsWith(`/${defaultLanguage}/`) ? slashed.slice(defaultLanguage.length + 1) : slashed;
      return bare !== path && pageAt(bare) ? bare : undefined;
    },
  };
}

/**
 * Redirects navigations from `/account` to the page `/account/`, as for every other page, although an endpoint has that
 * path. Fetch Metadata distinguishes navigations from the requests of scripts.
 */
export function redirectToPages(app: FastifyInstance, { pages }: Pick<Service, 'pages'>): void {
  const paths = new Set(pages.filter(({ kind }) => kind === 'open' || kind === 'account').map(({ path }) => path));
  app.addHook('onRequest', (request, reply, done) => {
    if (!isNavigation(request)) return done();
    const path = pathOf(request.url);
    if (!paths.has(`${path}/`)) return done();
    const query = request.url.slice(path.length);
    reply.code(308).header('cache-control', 'no-store').header('location', `${path}/${query}`).send();
  });
}

/** A browser without Fetch Metadata accepts HTML first when it navigates. */
const isNavigation = ({ method, headers }: FastifyRequest): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  headers.authorization === undefined &&
  (headers['sec-fetch-mode'] === 'navigate' ||
    (headers['sec-fetch-mode'] === undefined && headers.accept?.startsWith('text/html') === true));
