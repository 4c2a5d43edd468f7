/** Every ending of a provider's domains, by the first part of the domain. A listed domain never counts as a typo. */
const providers: Readonly<Record<string, string>> = {
  gmail: 'com',
  googlemail: 'com',
  icloud: 'com',
  outlook:
    'com com.ar com.au com.br com.gr com.tr com.vn at be cl co.id co.il co.th cz de dk es fr hu ie in it jp kr lv my ph pt sa sg sk',
  hotmail:
    'com com.ar com.br com.tr be ca ch cl co.id co.il co.jp co.kr co.nz co.th co.uk co.za cz de dk es fi fr gr hu it nl no se sg',
  live: 'com com.ar com.au com.mx com.pt be ca cl cn co.kr co.uk co.za de dk fi fr ie in it jp nl no ru se',
  msn: 'com',
  yahoo:
    'com com.ar com.au com.br com.hk com.mx com.my com.ph com.sg com.tr com.tw com.vn ca cl cn co.id co.in co.jp co.kr co.nz co.th co.uk co.za cz de dk es fr gr hu ie in it nl no pl pt ro se',
  ymail: 'com',
  rocketmail: 'com',
  aol: 'com co.uk de es fr it jp',
  mail: 'com de ru ua ee bg cz uk',
  email: 'com cz de it',
  proton: 'me',
  protonmail: 'com ch',
  gmx: 'com net de at ch fr es it co.uk',
  freenet: 'de',
  't-online': 'de',
  orange: 'fr es pl ro',
  wanadoo: 'fr es',
  laposte: 'net',
  free: 'fr',
  libero: 'it',
  virgilio: 'it',
  tiscali: 'it',
  alice: 'it',
  ziggo: 'nl',
  kpnmail: 'nl',
  planet: 'nl',
  telefonica: 'net',
  seznam: 'cz',
  centrum: 'cz sk',
  atlas: 'cz sk',
  volny: 'cz',
  interia: 'pl eu',
  onet: 'pl eu',
  freemail: 'hu gr',
  citromail: 'hu',
  indamail: 'hu',
  yandex: 'ru com by kz ua com.tr',
  inbox: 'ru lv lt com',
  list: 'ru',
  rambler: 'ru ua',
  otenet: 'gr',
  forthnet: 'gr',
  mynet: 'com',
  ukr: 'net',
  meta: 'ua',
  uol: 'com.br',
  bol: 'com.br',
  terra: 'com.br com',
  docomo: 'ne.jp',
  ezweb: 'ne.jp',
  foxmail: 'com',
  sina: 'com cn',
  btinternet: 'com',
  comcast: 'net',
};

/** Almost any shorter name would look like a typo: web.de, qq.com. */
const shortestName = 5;

/**
 * The address with its probable domain, or undefined if it looks correct. Corrects one typo in the name (two in a long
 * name) and one in the ending. A country's ending never counts as a typo of another country's (hotmail.gr,
 * yahoo.com.tr), but `.co` and the like instead of `.com` do.
 */
export function suggestAddress(typed: string): string | undefined {
  const address = typed.trim();
  const at = address.lastIndexOf('@');
  const dot = address.indexOf('.', at);
  if (at < 1 || dot === -1) return undefined;
  const name = address.slice(at + 1, dot).toLowerCase();
  const ending = address.slice(dot + 1).toLowerCase();
  const meant = nameMeant(name);
  const all = meant && endingsOf(meant);
  if (!all) return undefined;
  const isRight = all.includes(ending);
  if (isRight && meant === name) return undefined;
  const right = isRight ? ending : all.find((one) => isTypingMistake(ending, one));
  // If both name and ending are wrong, suggest nothing for a country's ending.
  if (right === undefined || (!isRight && meant !== name && isCountry(ending))) return undefined;
  return `${address.slice(0, at)}@${meant}.${right}`;
}

const endingsOf = (name: string): readonly string[] | undefined => providers[name]?.split(' ');

/** The provider that a name probably means; a known name means itself. */
function nameMeant(name: string): string | undefined {
  if (Object.hasOwn(providers, name)) return name;
  if (name.length < shortestName - 1) return undefined;
  const long = Object.keys(providers).filter((known) => known.length >= shortestName);
  return (
    long.find((known) => mistakes(name, known) === 1) ??
    long.find((known) => known.length > shortestName + 1 && mistakes(name, known) === 2)
  );
}

const isCountry = (ending: string): boolean => /(?:^|\.)[a-z]{2}$/.test(ending);

const isTypingMistake = (ending: string, right: string): boolean =>
  mistakes(ending, right) === 1 && !(isCountry(ending) && isCountry(right));

/** Edit distance: characters missing, added, replaced or swapped (Damerau, optimal string alignment). */
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
