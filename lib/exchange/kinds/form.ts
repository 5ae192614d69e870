import 'server-only'
import { randomBytes } from 'node:crypto'
import { invalidField } from '@/lib/http/api-error'
import { type FormPart, parseMultipart } from '@/lib/http/multipart'

/** Fields are short; only files are long. */
const FIELD_BYTES_MAX = 16 * 1024

export interface FormRequest {
  texts: readonly (readonly [name: string, text: string])[]
  files: readonly FormPart[]
}

/** @param fileNames the fields that hold files, whatever they call themselves. @throws ApiError invalid_request */
export function readForm(
  body: Uint8Array,
  contentType: string | null,
  { fileNames, fieldBytesMax = FIELD_BYTES_MAX }: { fileNames: ReadonlySet<string>; fieldBytesMax?: number },
): FormRequest {
  const parts = parseMultipart(body, contentType)
  return {
    texts: parts.filter(({ name }) => !fileNames.has(name)).map(part => readText(part, fieldBytesMax)),
    files: parts.filter(({ name }) => fileNames.has(name)),
  }
}

function readText({ name, bytes }: FormPart, bytesMax: number): [string, string] {
  if (!/^[\w.[\]-]{1,64}$/.test(name) || bytes.byteLength > bytesMax) {
    throw invalidField('body', 'a field name has unexpected characters, or a field is too long')
  }
  try {
    return [name, new TextDecoder('utf-8', { fatal: true }).decode(bytes)]
  } catch {
    throw invalidField(name, 'expected text')
  }
}

interface FormFile {
  name: string
  /** Made by us: upstreams go by its extension. */
  fileName: string
  contentType: string
  bytes: Uint8Array
}

/** A form in pieces, so that the files need not be copied. Names and types are ours, never the client's. */
export function encodeForm(
  texts: FormRequest['texts'],
  files: readonly FormFile[],
): { body: Uint8Array[]; contentType: string } {
  // Random, so that no file contains it.
  const boundary = `form-${randomBytes(24).toString('hex')}`
  const head = (name: string, more: string) =>
    `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n`
  const body: Uint8Array[] = [
    Buffer.from(texts.map(([name, text]) => `${head(name, '')}${text}\r\n`).join('')),
  ]
  for (const { name, fileName, contentType, bytes } of files) {
    const about = `; filename="${fileName}"\r\ncontent-type: ${contentType}`
    body.push(Buffer.from(head(name, about)), bytes, Buffer.from('\r\n'))
  }
  body.push(Buffer.from(`--${boundary}--\r\n`))
  return { body, contentType: `multipart/form-data; boundary=${boundary}` }
}
