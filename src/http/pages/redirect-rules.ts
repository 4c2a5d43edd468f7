import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { SettingsError } from '../../contract/settings.ts';

/** Finds the target of a path, or undefined. */
export type RedirectRules = (path: string) => string | undefined;

interface Rule {
  readonly pattern: string;
  readonly target: string;
}

const ruleFile = z.record(z.string().check(z.regex(/^\/[^\\\s]*$/)), z.string().check(z.minLength(1)));

/**
 * Reads the operator's rules: a JSON object of pattern → target. A pattern is a path; `*` at its end matches any rest,
 * which `*` at the end of the target repeats. Throws a `SettingsError` that names the file and the rule if a rule is
 * unusable, or if rules form a loop.
 */
export function readRedirectRules(file: string | undefined, publicUrl: string): RedirectRules {
  if (file === undefined) return () => undefined;
  const read = ruleFile.safeParse(readJson(file));
  if (!read.success) {
    const pattern = read.error.issues[0]?.path[0];
    const where = pattern === undefined ? '' : `; it is wrong at ${JSON.stringify(pattern)}`;
    throw new SettingsError(`REDIRECT_RULES: ${file} must be a JSON object of paths and targets${where}`);
  }
  const rules = Object.entries(read.data).map(([pattern, target]) => ({ pattern, target }));
  return redirectRules(rules, publicUrl);
}

function readJson(file: string): unknown {
  const says = (what: string, cause: unknown) => new SettingsError(`REDIRECT_RULES: ${file} ${what}`, { cause });
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw says(`cannot be read (${(cause as NodeJS.ErrnoException).code})`, cause);
  }
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (cause) {
    throw says(`is not JSON: ${(cause as Error).message}`, cause);
  }
}

export function redirectRules(rules: readonly Rule[], publicUrl: string): RedirectRules {
  for (const rule of rules) refuseUnusable(rule);
  // The longest pattern is the most specific one.
  const ordered = [...rules].sort((a, b) => b.pattern.length - a.pattern.length);
  const find = (path: string) => {
    for (const { pattern, target } of ordered) {
      const rest = match(pattern, path);
      if (rest !== undefined) return target.endsWith('*') ? complete(target.slice(0, -1), rest, publicUrl) : target;
    }
    return undefined;
  };
  for (const { pattern } of ordered) refuseCircle({ find, publicUrl, start: pattern.replace(/\*$/, '') });
  return (path) => {
    const target = find(path);
    // A rule may match its own target (`/old/*` → `/old/new/`): there it does not redirect again.
    return target === undefined || samePlace(target, path, publicUrl) ? undefined : target;
  };
}

/**
 * The target with the rest of the path. Visitors choose the rest: it must not change the operator's origin, as
 * `//evil.example` or `.evil.example` would.
 */
function complete(beginning: string, rest: string, publicUrl: string): string | undefined {
  const target = beginning + rest;
  const url = URL.parse(target, publicUrl);
  const isOnlyPath = beginning.startsWith('/') && /^\/[/\\]/.test(target);
  if (!url || isOnlyPath || /[\\\p{Cc}\s]/u.test(target) || url.username !== '' || url.password !== '')
    return undefined;
  return url.origin === new URL(beginning, publicUrl).origin ? target : undefined;
}

function match(pattern: string, path: string): string | undefined {
  if (pattern.endsWith('*')) return path.startsWith(pattern.slice(0, -1)) ? path.slice(pattern.length - 1) : undefined;
  return path === pattern ? '' : undefined;
}

function refuseUnusable({ pattern, target }: Rule): void {
  const absolute = /^https?:\/\//i.test(target) && URL.canParse(target);
  const rooted = /^\/(?![/\\])/.test(target);
  // `https://app.example*` would let a visitor complete the host.
  const openHost = /^https?:\/\/[^/]*\*$/i.test(target);
  if ((!absolute && !rooted) || openHost || /[\\\s]/.test(target)) {
    throw new SettingsError(`REDIRECT_RULES: the target of ${pattern} must be an http(s) URL or a path: ${target}`);
  }
}

const samePlace = (target: string, path: string, publicUrl: string): boolean =>
  URL.parse(target, publicUrl)?.href === URL.parse(path, publicUrl)?.href;

const longestChain = 10;

function refuseCircle({ find, publicUrl, start }: { find: RedirectRules; publicUrl: string; start: string }): void {
  const seen = [start];
  let path = start;
  for (;;) {
    const target = find(path);
    if (target === undefined) return;
    const url = new URL(target, publicUrl);
    if (url.origin !== publicUrl) return;
    if (url.pathname === path) return;
    if (seen.includes(url.pathname) || seen.length > longestChain) {
      throw new SettingsError(`REDIRECT_RULES: these rules form a loop: ${[...seen, url.pathname].join(' → ')}`);
    }
    path = url.pathname;
    seen.push(path);
  }
}
