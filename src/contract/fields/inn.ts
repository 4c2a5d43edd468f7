const innWeights = [3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8];

/** Whether the check digits of an INN are correct (Order of the Federal Tax Service MMV-7-6/435). */
export function innIsValid(inn: string): boolean {
  const digits = [...inn].map(Number);
  const checkDigit = (position: number) => {
    const weights = innWeights.slice(innWeights.length - position);
    return (weights.reduce((sum, weight, at) => sum + weight * (digits[at] as number), 0) % 11) % 10;
  };
  if (digits.length === 10) return checkDigit(9) === digits[9];
  if (digits.length === 12) return checkDigit(10) === digits[10] && checkDigit(11) === digits[11];
  return false;
}
