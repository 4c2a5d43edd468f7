import { expect, it } from 'vitest';
import type { LanguageCode } from '../contract/languages.ts';
import { typographyProblems } from './check-catalogs.ts';

const problemsOf = (language: LanguageCode, text: string, id = 'form.send') =>
  typographyProblems(language, { id, text });

it.each<[language: LanguageCode, bad: string, good: string]>([
  ['de', 'Wird geladen...', 'Wird geladen\u00a0…'],
  ['de', 'Wird geladen…', 'Wird geladen\u00a0…'],
  ['de', 'Das Feld “Name”', 'Das Feld „Name“'],
  ['de', 'Noch # Versuche', 'Noch #\u00a0Versuche'],
  ['el', 'Ξεχάσατε τον κωδικό;?', 'Ξεχάσατε τον κωδικό;'],
  ['ru', 'Следующий шаг — компьютеры', 'Следующий шаг\u00a0— компьютеры'],
  ['ru', 'Введите 4 цифры', 'Введите 4\u00a0цифры'],
  ['uk', 'Папка „Спам“', 'Папка «Спам»'],
  ['cs', 'Přihlášení k účtu', 'Přihlášení k\u00a0účtu'],
  ['pl', 'Logowanie w serwisie', 'Logowanie w\u00a0serwisie'],
  ['pl', 'Proszę odebrać – podyktujemy', 'Proszę odebrać\u00a0– podyktujemy'],
  ['fr', 'Mot de passe oublié ?', 'Mot de passe oublié\u202f?'],
  ['fr', 'Erreur : {title}', 'Erreur\u00a0: {title}'],
  ['es', 'Olvidó su contraseña?', '¿Olvidó su contraseña?'],
  ['ar', 'نسيت كلمة المرور?', 'نسيت كلمة المرور؟'],
  ['ja', '{label}(任意)', '{label}（任意）'],
  ['ja', 'エラー:{title}', 'エラー：{title}'],
  ['zh', '{label}(选填)', '{label}（选填）'],
  ['zh', '忘记密码?', '忘记密码？'],
  ['hu', 'A “Név” mező', 'A „Név” mező'],
])('in %s, "%s" is wrong and "%s" is right', (language, bad, good) => {
  expect(problemsOf(language, bad)).not.toEqual([]);
  expect(problemsOf(language, good)).toEqual([]);
});

it('only the English texts that the specification fixes may have three dots', () => {
  expect(problemsOf('en', 'Please, wait...', 'form.wait')).toEqual([]);
  expect(problemsOf('en', 'Loading...', 'frame.loading')).toEqual(['has "..." where "…" belongs']);
  expect(problemsOf('nl', 'Een ogenblik geduld...', 'form.wait')).toEqual(['has "..." where "…" belongs']);
});
