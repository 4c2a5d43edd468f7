/** Saves a text, or parts of one, as a file on the person's device. */
export function saveFile(name: string, { parts, type }: { parts: BlobPart[]; type: string }): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob(parts, { type }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
