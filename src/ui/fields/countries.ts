// Our own list, because libphonenumber's rules are 22 kB, and the country beside a number needs only its code.
const known =
  '1AGAIASBBBMBSCADMDOGDGUJMKNKYLCMPMSPRSXTCTTUSVCVGVI 20EG 211SS 212EHMA 213DZ 216TN 218LY 220GM 221SN 222MR ' +
  '223ML 224GN 225CI 226BF 227NE 228TG 229BJ 230MU 231LR 232SL 233GH 234NG 235TD 236CF 237CM 238CV 239ST 240GQ ' +
  '241GA 242CG 243CD 244AO 245GW 246IO 247AC 248SC 249SD 250RW 251ET 252SO 253DJ 254KE 255TZ 256UG 257BI 258MZ ' +
  '260ZM 261MG 262REYT 263ZW 264NA 265MW 266LS 267BW 268SZ 269KM 27ZA 290SHTA 291ER 297AW 298FO 299GL 30GR 31NL ' +
  '32BE 33FR 34ES 350GI 351PT 352LU 353IE 354IS 355AL 356MT 357CY 358AXFI 359BG 36HU 370LT 371LV 372EE 373MD ' +
  '374AM 375BY 376AD 377MC 378SM 380UA 381RS 382ME 383XK 385HR 386SI 387BA 389MK 39ITVA 40RO 41CH 420CZ 421SK ' +
  '423LI 43AT 44GBGGIMJE 45DK 46SE 47NOSJ 48PL 49DE 500FK 501BZ 502GT 503SV 504HN 505NI 506CR 507PA 508PM 509HT ' +
  '51PE 52MX 53CU 54AR 55BR 56CL 57CO 58VE 590BLGPMF 591BO 592GY 593EC 594GF 595PY 596MQ 597SR 598UY 599BQCW 60MY ' +
  '61AUCCCX 62ID 63PH 64NZ 65SG 66TH 670TL 672NF 673BN 674NR 675PG 676TO 677SB 678VU 679FJ 680PW 681WF 682CK ' +
  '683NU 685WS 686KI 687NC 688TV 689PF 690TK 691FM 692MH 7KZRU 81JP 82KR 84VN 850KP 852HK 853MO 855KH 856LA 86CN ' +
  '880BD 886TW 90TR 91IN 92PK 93AF 94LK 95MM 960MV 961LB 962JO 963SY 964IQ 965KW 966SA 967YE 968OM 970PS 971AE ' +
  '972IL 973BH 974QA 975BT 976MN 977NP 98IR 992TJ 993TM 994AZ 995GE 996KG 998UZ';

/** Calling codes without the plus sign, by region (ISO 3166-1). */
const callingCodes: ReadonlyMap<string, string> = new Map(
  known.split(' ').flatMap((group) => {
    const [, code = '', regions = ''] = /^(\d+)(.+)$/.exec(group) ?? [];
    return (regions.match(/../g) ?? []).map((region) => [region, code] as const);
  }),
);

/** A country's name and calling code in a language (BCP 47 tag). The code is isolated: it runs left to right. */
export const nameCountry = (region: string, tag: string): string =>
  `${new Intl.DisplayNames(tag, { type: 'region' }).of(region) ?? region} \u2066+${callingCodes.get(region)}\u2069`;

/** A calling code with its plus sign. */
export const callingCodeOf = (region: string): string => `+${callingCodes.get(region)}`;

/** All countries that have phone numbers, named and sorted in a language (BCP 47 tag): slow on a cheap phone. */
export function countriesIn(tag: string): readonly { readonly region: string; readonly name: string }[] {
  const order = new Intl.Collator(tag).compare;
  return [...callingCodes.keys()]
    .map((region) => ({ region, name: nameCountry(region, tag) }))
    .sort((a, b) => order(a.name, b.name));
}
