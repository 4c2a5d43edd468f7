import { readFileSync } from 'node:fs';
import { isIP, isIPv6 } from 'node:net';
import type { Reader } from 'mmdb-lib';
import { type LanguageCode, languageOf } from '../contract/languages.ts';
import { SettingsError } from '../contract/settings-error.ts';

/** Where addresses are, as far as a database of the operator tells. */
export interface GeoIp {
  /** A city and its country in words of a language; undefined where nobody knows. */
  of(ip: string, language: LanguageCode): string | undefined;
}

type Names = Readonly<Record<string, string>>;

/** What we read of a record of MaxMind's layout (GeoLite2 City and Country, and others that follow it). */
interface Place {
  readonly city?: { readonly names?: Names };
  readonly country?: { readonly iso_code?: string; readonly names?: Names };
}

/** What the layout calls those of our languages that it has under longer names. */
const layoutNames: Partial<Record<LanguageCode, string>> = { pt: 'pt-BR', zh: 'zh-CN' };

/**
 * Opens `PLACES_FILE`, a MaxMind DB, which is kept in memory; without one no place is known, and nothing is loaded. Throws a
 * `SettingsError` when it cannot be read.
 */
export async function openGeoIp(file: string | undefined): Promise<GeoIp> {
  if (file === undefined) return { of: () => undefined };
  const reader = await readDatabase(file);
  return {
    of(ip, language) {
      // An address of the longer kind is in no database of the shorter.
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
    throw new SettingsError(`PLACES_FILE: ${file} is no MaxMind DB (.mmdb) that can be read`, { cause });
  }
}

const inLanguage = (names: Names | undefined, language: LanguageCode): string | undefined =>
  names?.[layoutNames[language] ?? language];

const nameIn = (names: Names | undefined, language: LanguageCode): string | undefined =>
  inLanguage(names, language) ?? names?.en;

/** Databases know some languages, and this machine knows all of ours. */
function countryIn(country: Place['country'], language: LanguageCode): string | undefined {
  const own = inLanguage(country?.names, language);
  if (own !== undefined || country?.iso_code === undefined) return own ?? country?.names?.en;
  return new Intl.DisplayNames(languageOf(language).tag, { type: 'region' }).of(country.iso_code);
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
