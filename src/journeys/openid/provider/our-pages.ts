import type { KoaContextWithOIDC } from 'oidc-provider';
import { isLanguageCode, pathIn } from '../../../contract/languages.ts';
import { browserRequestOf } from './browser-request.ts';

/** Our page for a request, in the language that the application asks for (`ui_locales`) if we have it. */
export function interactionUrl(ctx: KoaContextWithOIDC, { uid }: { readonly uid: string }): string {
  return `${pathIn(languageFor(ctx), '/connect/')}?request=${uid}`;
}

function languageFor(ctx: KoaContextWithOIDC) {
  const wanted = String(ctx.oidc.params?.ui_locales ?? ctx.query?.ui_locales ?? '')
    .split(' ')
    .map((tag) => tag.toLowerCase().split(/[-_]/, 1)[0]);
  return wanted.find(isLanguageCode) ?? browserRequestOf(ctx.req).language;
}

/** Protocol errors that must not be sent to the application appear on our page; programs get JSON. */
export function showError(ctx: KoaContextWithOIDC, out: { readonly error: string }): void {
  if (ctx.oidc.route !== 'authorization' && ctx.oidc.route !== 'resume') {
    ctx.body = out;
    return;
  }
  ctx.status = 303;
  ctx.redirect(`${pathIn(languageFor(ctx), '/connect/failed/')}?error=${encodeURIComponent(out.error)}`);
}

/** `response_mode=form_post` leads to the application's origin, which `form-action` must allow. */
export async function allowFormPost(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next();
  const { params } = ctx.oidc ?? {};
  if (params?.response_mode !== 'form_post' || !ctx.type.includes('html')) return;
  const target = URL.parse(String(params.redirect_uri));
  const policy = ctx.response.get('content-security-policy');
  if (!target || policy === '') return;
  const source = target.origin === 'null' ? target.protocol : target.origin;
  ctx.set('content-security-policy', policy.replace("form-action 'self'", `form-action 'self' ${source}`));
}
