/** The browser needs the object URL until it has begun to save; a minute is ample. */
const ADDRESS_LIFE_MS = 60_000

/** Downloads a file through an object URL, which nobody else can open. */
export function saveFile(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), ADDRESS_LIFE_MS)
}

const MINUTE_MS = 60_000

/** A time for the name of a file, by the person's own clock: `2026-11-29T17-30-05`. */
export function timeInName(date: Date): string {
  const local = new Date(date.getTime() - date.getTimezoneOffset() * MINUTE_MS)
  return local.toISOString().slice(0, 19).replaceAll(':', '-')
}
