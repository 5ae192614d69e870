/** A UUID v4 even where `crypto.randomUUID` is missing: on pages served over plain HTTP in a local network. */
export function createUuid(): string {
  if (typeof crypto.randomUUID === 'function') return crypto.randomUUID()
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  return bytesToUuid(bytes)
}

/** Not from a library, because every page needs it, and a library's hex code is larger than this whole file. */
export function bytesToUuid(bytes: Uint8Array): string {
  return hexToUuid(Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join(''))
}

export function hexToUuid(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
