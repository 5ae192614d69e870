/** The browser starts reading the address at the click; a moment later it may go. */
const RELEASE_AFTER_MS = 10_000

/** Hands a text to the person as a file, without an address that anybody else could open. */
export function saveFile(name: string, content: string, type: string): void {
  const address = URL.createObjectURL(new Blob([content], { type }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), RELEASE_AFTER_MS)
}
