const DATA_URL_PATTERN = /^data:image\/([a-z0-9.+-]{1,20});base64,/i
const PNG_SIGNATURE = 'iVBORw0KGgo'
/** Base64 of the 24 bytes that hold a PNG's signature and the start of its header. */
const PNG_HEADER_CHARACTERS = 32

/** What a practice model sees of a picture: its format, its size and, of a PNG, its measures. */
export function describeImage(url: string): string {
  const format = DATA_URL_PATTERN.exec(url)?.[1]
  if (!format) return 'a picture that is somewhere on the web (I do not go and fetch it)'
  const base64 = url.slice(url.indexOf(',') + 1)
  const kilobytes = Math.max(1, Math.round((base64.length * 3) / 4 / 1000))
  return `a ${format.toUpperCase()} picture of ${kilobytes} kB${measuresOf(base64)}`
}

function measuresOf(base64: string): string {
  const header = base64.slice(0, PNG_HEADER_CHARACTERS)
  if (!header.startsWith(PNG_SIGNATURE) || !/^[A-Za-z0-9+/]{32}$/.test(header)) return ''
  const bytes = Uint8Array.from(atob(header), character => character.charCodeAt(0))
  const view = new DataView(bytes.buffer)
  return `, ${view.getUint32(16)} × ${view.getUint32(20)} pixels`
}
