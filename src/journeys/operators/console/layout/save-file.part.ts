/** Saves a text as a file. Not `saveText` of the recovery codes, whose module would bring their texts along. */
export function saveFile(name: string, { text, type }: { text: string; type: string }): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  Object.assign(document.createElement('a'), { href: address, download: name }).click();
  URL.revokeObjectURL(address);
}
