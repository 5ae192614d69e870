import 'server-only'
import { randomBytes } from 'node:crypto'
import type { Recording } from './read-transcription'

/** A form in parts that need no copy of the recording. Names and types come from us alone. */
export function encodeForm(
  fields: readonly (readonly [string, string])[],
  { bytes, fileName, contentType }: Recording,
): { body: Uint8Array[]; contentType: string } {
  // Random, so that no recording contains it.
  const boundary = `form-${randomBytes(24).toString('hex')}`
  const head = (name: string, more: string) =>
    `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n`
  const texts = fields.map(([name, value]) => `${head(name, '')}${value}\r\n`).join('')
  const file = head('file', `; filename="${fileName}"\r\ncontent-type: ${contentType}`)
  return {
    body: [Buffer.from(texts + file), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)],
    contentType: `multipart/form-data; boundary=${boundary}`,
  }
}
