/** Arguments of one call; browsers take a few ten thousand. A multiple of three: slices join without padding. */
const SLICE_BYTES = 0x6000

export function encodeBase64(bytes: Uint8Array): string {
  let text = ''
  for (let start = 0; start < bytes.length; start += SLICE_BYTES) {
    text += btoa(String.fromCharCode(...bytes.subarray(start, start + SLICE_BYTES)))
  }
  return text
}

/** Null for what is no base64. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), character => character.charCodeAt(0))
  } catch {
    return null
  }
}
