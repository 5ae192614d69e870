import 'server-only'
import { z } from 'zod'
import { isOpenRouter } from '@/lib/catalogue/domain/is-open-router'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import { ApiError, invalidField } from '@/lib/http/api-error'
import { encodeJson } from '@/lib/http/json-scan'
import type { FormPart } from '@/lib/http/multipart'
import { UpstreamFailure } from '@/lib/upstream/ask-upstreams'
import { hashOfRequest, type UpstreamRequest } from '../../engine/kind'
import { readContract } from '../contract'
import { encodeForm, readForm } from '../form'
import { type ImageRequest, imageRequestSchema, REFUSED_IMAGE_FIELDS } from './contract'

/** Enough for the largest and finest picture that is drawn. */
const IMAGE_BYTES_MAX = 20 * 1024 * 1024
/** OpenAI's limit. */
const PICTURE_COUNT_MAX = 16
/** OpenAI's limit of a prompt is 32,000 characters, each of up to four bytes. */
const FIELD_BYTES_MAX = 128 * 1024
const FILE_FIELDS: ReadonlySet<string> = new Set(['image', 'image[]', 'mask'])
const NUMBER_FIELDS: ReadonlySet<string> = new Set(['n', 'output_compression', 'seed'])

/** The form's fields besides its files: those of any request for pictures, and the fidelity to the input. */
export const imageEditFieldsSchema = imageRequestSchema
  .omit({ image: true, images: true, input_references: true })
  .extend({ input_fidelity: z.enum(['low', 'high'], 'expected low or high').nullish() })

const IN_A_FILE = 'send each picture as a file in image'

interface Picture {
  bytes: Uint8Array
  /** By its first bytes, not by the declared type. */
  type: 'png' | 'jpeg' | 'webp'
}

/** The pictures to edit. */
export interface ImageEdit {
  request: ImageRequest
  ignoredFields: readonly string[]
  pictures: readonly Picture[]
  /** The mask: which part of the first picture is drawn anew. */
  mask: Picture | null
}

/** @throws ApiError invalid_request, request_too_large */
export function readImageEdit(body: Uint8Array, contentType: string | null): ImageEdit {
  const { texts, files } = readForm(body, contentType, {
    fileNames: FILE_FIELDS,
    fieldBytesMax: FIELD_BYTES_MAX,
  })
  const fields = Object.fromEntries(texts.map(([name, text]) => [name, typedField(name, text)]))
  const { request, ignoredFields } = readContract(fields, imageEditFieldsSchema, {
    refused: { ...REFUSED_IMAGE_FIELDS, images: IN_A_FILE, input_references: IN_A_FILE },
  })
  const pictures = files.filter(({ name }) => name !== 'mask')
  const masks = files.filter(({ name }) => name === 'mask')
  if (pictures.length === 0 || pictures.length > PICTURE_COUNT_MAX)
    throw invalidField('image', `expected 1 to ${PICTURE_COUNT_MAX} pictures`)
  if (masks.length > 1) throw invalidField('mask', 'expected one')
  return {
    request,
    ignoredFields,
    pictures: pictures.map(readPicture),
    mask: masks.map(readPicture)[0] ?? null,
  }
}

/** Fields of a form are strings; these are numbers or booleans. */
function typedField(name: string, text: string): unknown {
  if (NUMBER_FIELDS.has(name)) return /^\d{1,9}$/.test(text) ? Number(text) : text
  return name === 'stream' ? text !== 'false' : text
}

function readPicture({ name, bytes }: FormPart): Picture {
  const param = name === 'mask' ? 'mask' : 'image'
  if (bytes.byteLength > IMAGE_BYTES_MAX) {
    const message = `A picture is larger than ${IMAGE_BYTES_MAX} bytes.`
    throw new ApiError('request_too_large', message, { param })
  }
  const type = typeOf(Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 16)))
  if (type === null) throw invalidField(param, 'expected a picture as PNG, JPEG or WebP')
  return { bytes, type }
}

function typeOf(head: Buffer): Picture['type'] | null {
  if (head.toString('latin1', 0, 8) === '\x89PNG\r\n\x1a\n') return 'png'
  if (head.toString('latin1', 0, 3) === '\xff\xd8\xff') return 'jpeg'
  return head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 12) === 'WEBP' ? 'webp' : null
}

/** The request that the hold is calculated for: each picture counts as one, and so does the mask. */
export function measuredRequest({ request, pictures, mask }: ImageEdit): ImageRequest {
  return { ...request, image: [...pictures, ...(mask ? [mask] : [])].map(() => 'data:image/png;base64,') }
}

/** A retry has another boundary but the same content. */
export function hashOfEdit({ request, pictures, mask }: ImageEdit): string {
  const files = [...pictures, mask].flatMap(file => [
    `${file?.bytes.byteLength ?? 'none'}\n`,
    ...(file ? [file.bytes] : []),
  ])
  return hashOfRequest(`image edit\n${JSON.stringify(request)}\n`, ...files)
}

/** OpenRouter accepts pictures as references beside the prompt; any other host in a form, like OpenAI. */
export async function editRequestTo(
  upstream: UpstreamSettings,
  { pictures, mask }: ImageEdit,
  fields: Record<string, unknown>,
): Promise<UpstreamRequest> {
  if (isOpenRouter(upstream.baseUrl)) {
    if (mask) {
      const message =
        'mask is not valid: the host of this model does not accept masks. Describe the change in the prompt.'
      throw new UpstreamFailure('client_fault', message, { status: 400, param: 'mask' })
    }
    const references = pictures.map(({ bytes, type }) => ({
      type: 'image_url',
      image_url: { url: `data:image/${type};base64,${Buffer.from(bytes).toString('base64')}` },
    }))
    return { upstream, path: '/images', body: await encodeJson({ ...fields, input_references: references }) }
  }
  const texts = Object.entries(fields).map(([name, value]) => [name, String(value)] as const)
  const form = encodeForm(texts, [
    ...pictures.map(picture => fileOf(pictures.length === 1 ? 'image' : 'image[]', picture)),
    ...(mask ? [fileOf('mask', mask)] : []),
  ])
  const headers = { 'content-type': form.contentType, accept: 'application/json' }
  return { upstream, path: '/images/edits', headers, body: form.body }
}

function fileOf(name: string, { bytes, type }: Picture) {
  return { name, fileName: `picture.${type}`, contentType: `image/${type}`, bytes }
}
