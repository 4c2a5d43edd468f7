import type { FastifyInstance } from 'fastify';
import { languages } from '../contract/languages.ts';
import type { ProductSettings } from '../outbox/email/email-content.ts';
import { mailHeaders } from './inbox-headers.ts';
import { mailDocument } from './inbox-page.ts';
import { type Choice, inTheme, openPreview, readChoice } from './preview.ts';
import { previewPage } from './preview-page.ts';

type Query = Readonly<Record<string, unknown>>;

/** Mounts `/dev/inbox/preview/`: every notice in every language, as sent with the current settings. */
export function previewRoutes(app: FastifyInstance, settings: ProductSettings): void {
  const write = openPreview(settings);

  app.get('/dev/inbox/preview', (_request, reply) => reply.redirect('/dev/inbox/preview/', 308));

  app.get('/dev/inbox/preview/', async (request, reply) => {
    const choice = readChoice(request.query as Query);
    const codes = choice.language === 'all' ? languages.map(({ code }) => code) : [choice.language];
    const shown = codes.map(async (language) => ({
      choice: { ...choice, language } satisfies Choice,
      mail: await write(choice.notice, language),
    }));
    reply.type('text/html; charset=utf-8');
    return previewPage(choice, await Promise.all(shown));
  });

  app.get('/dev/inbox/preview/:notice/:language/html', async (request, reply) => {
    const choice = readChoice({ ...(request.query as Query), ...(request.params as Query) });
    const mail = await write(choice.notice, choice.language === 'all' ? 'en' : choice.language);
    reply.headers(mailHeaders).type('text/html; charset=utf-8');
    return mailDocument({ html: inTheme(mail.html, choice.theme) });
  });
}
