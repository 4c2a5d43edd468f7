/** `ada@mail.example` → `a***@mail.example`: enough for an operator to find a person who complains. */
export const masked = (address: string): string => address.replace(/^(.).*(@[^@]*)$/su, '$1***$2');
