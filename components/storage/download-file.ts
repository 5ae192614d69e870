/** The browser needs the address until it has begun to save; a minute is more than that. */
const ADDRESS_LIFE_MS = 60_000

/** Offers a file to be saved. */
export function downloadFile(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), ADDRESS_LIFE_MS)
}
