/** The browser needs the address until it has begun to save; a minute is more than that. */
const ADDRESS_LIFE_MS = 60_000

/** Hands a file to the person, without an address that anybody else could open. */
export function saveFile(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), ADDRESS_LIFE_MS)
}
