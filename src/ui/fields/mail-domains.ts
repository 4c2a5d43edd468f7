/** Domains that very many people have their mail at. What is listed is never taken for a mistake. */
const domains = (
  'gmail.com googlemail.com yahoo.com ymail.com hotmail.com outlook.com icloud.com live.com aol.com mail.com email.com ' +
  'proton.me protonmail.com gmx.net gmx.com freenet.de t-online.de yahoo.de hotmail.de outlook.de ' +
  'orange.fr wanadoo.fr laposte.net hotmail.fr yahoo.fr libero.it virgilio.it tiscali.it alice.it ' +
  'ziggo.nl kpnmail.nl planet.nl hotmail.es yahoo.es seznam.cz centrum.cz interia.pl freemail.hu citromail.hu ' +
  'yandex.ru yandex.com mail.ru inbox.ru list.ru rambler.ru ukr.net uol.com.br bol.com.br terra.com.br yahoo.com.br ' +
  'yahoo.co.jp docomo.ne.jp ezweb.ne.jp foxmail.com sina.com hotmail.co.uk yahoo.co.uk btinternet.com comcast.net'
).split(' ');

/** Below this length, almost any domain would look like a mistake: gmx.de, web.de, qq.com. */
const shortest = 7;

/**
 * The address with the domain that was probably meant, or undefined when nothing looks wrong.
 * One mistake anywhere counts; two only in a long domain with the right ending (outlook.cz is nobody's mistake).
 */
export function suggestAddress(typed: string): string | undefined {
  const address = typed.trim();
  const at = address.lastIndexOf('@');
  const domain = address.slice(at + 1).toLowerCase();
  if (at < 1 || domain.length < shortest || domains.includes(domain)) return undefined;
  const meant =
    domains.find((known) => mistakes(domain, known) === 1) ?? domains.find((known) => isMeant(domain, known));
  return meant && `${address.slice(0, at)}@${meant}`;
}

const isMeant = (domain: string, known: string): boolean =>
  known.length >= 10 && ending(domain) === ending(known) && mistakes(domain, known) === 2;

const ending = (domain: string): string => domain.slice(domain.lastIndexOf('.'));

/** Typing mistakes between two words: letters missing, added, replaced or swapped (Damerau; optimal string alignment). */
export function mistakes(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = cell(rows, i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? cell(rows, i - 2, j - 2) + 1 : replaced;
      row.push(Math.min(replaced, swapped, cell(rows, i - 1, j) + 1, (row[j - 1] as number) + 1));
    }
    rows.push(row);
  }
  return cell(rows, a.length, b.length);
}

const cell = (rows: readonly (readonly number[])[], row: number, column: number): number =>
  rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
