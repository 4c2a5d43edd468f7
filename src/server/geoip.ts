import { readFileSync } from 'node:fs';
import { isIP, isIPv6 } from 'node:net';
import type { Reader } from 'mmdb-lib';
import { type LanguageCode, localeOf } from '../contract/languages.ts';
import { SettingsError } from '../contract/settings.ts';

/** Locates IP addresses with the operator's database. */
export interface GeoIp {
  /** City and country, named in a language; undefined if unknown. */
  of(ip: string, language: LanguageCode): string | undefined;
}

type Names = Readonly<Record<string, string>>;

/** The fields that we read from a record in MaxMind's layout (GeoLite2 City and Country, and compatible databases). */
interface Place {
  readonly city?: { readonly names?: Names };
  readonly country?: { readonly iso_code?: string; readonly names?: Names };
}

/** MaxMind's codes for our languages, where they differ from ours. */
const layoutNames: Partial<Record<LanguageCode, string>> = { pt: 'pt-BR', zh: 'zh-CN' };

/**
 * Loads `PLACES_FILE`, a MaxMind DB, into memory; without one, every place is unknown and the library is not loaded.
 * Throws a `SettingsError` if the file is unreadable.
 */
export async function openGeoIp(file: string | undefined): Promise<GeoIp> {
  if (file === undefined) return { of: () => undefined };
  const reader = await readDatabase(file);
  return {
    of(ip, language) {
      // An IPv4 database contains no IPv6 addresses.
      if (isIP(ip) === 0 || (isIPv6(ip) && reader.metadata.ipVersion === 4)) return undefined;
      const { city, country } = (reader.get(ip) ?? {}) as Place;
      return written({ city: nameIn(city?.names, language), country: countryIn(country, language) }, language);
    },
  };
}

async function readDatabase(file: string): Promise<Reader<never>> {
  const { Reader } = await import('mmdb-lib');
  try {
    return new Reader<never>(readFileSync(file));
  } catch (cause) {
    throw new SettingsError(`PLACES_FILE: ${file} is not a readable MaxMind DB (.mmdb)`, { cause });
  }
}

const inLanguage = (names: Names | undefined, language: LanguageCode): string | undefined =>
  names?.[layoutNames[language] ?? language];

const nameIn = (names: Names | undefined, language: LanguageCode): string | undefined =>
  inLanguage(names, language) ?? names?.en;

/** Databases have names in some languages; `Intl` has country names in all of ours. */
function countryIn(country: Place['country'], language: LanguageCode): string | undefined {
  const own = inLanguage(country?.names, language);
  if (own !== undefined || country?.iso_code === undefined) return own ?? country?.names?.en;
  return new Intl.DisplayNames(localeOf(language), { type: 'region' }).of(country.iso_code);
}

function written(
  { city, country }: { city: string | undefined; country: string | undefined },
  language: LanguageCode,
): string | undefined {
  if (city === undefined || country === undefined) return city ?? country;
  if (language === 'zh') return `${country}${city}`;
  if (language === 'ja') return `${country}・${city}`;
  return language === 'ar' ? `${city}، ${country}` : `${city}, ${country}`;
}
