import 'server-only'
import type { ZodType, z } from 'zod'
import { ApiError, invalidField } from './api-error'
import type { BodiesInFlight } from './bodies-in-flight'
import { parseWith } from './domain/parse-with'
import { JsonScan, parseScanned } from './json-scan'
import { receiveBody } from './receive-body'

/** Small JSON bodies (accounts, top-ups, keys). Paid requests are read by `admitBody`. */
export const SMALL_BODY_BYTES_MAX = 16 * 1024
/** What is counted in one go before others have their turn, and before what is too much is refused. */
const SCAN_BYTES = 256 * 1024

/**
 * Reads at most `bytesMax` of a request's body, whatever its Content-Length claims.
 * @param inFlight counts the body's memory, if it may be large and its sender is not known yet
 * @throws ApiError request_too_large, rate_limited, invalid_request when it stops coming
 */
export async function readBody(
  request: Request,
  bytesMax: number,
  inFlight?: BodiesInFlight,
): Promise<Uint8Array> {
  requireLength(declaredLength(request.headers), bytesMax)
  const body = inFlight?.open(request.headers)
  let byteCount = 0
  try {
    return await receiveBody(request, {
      onRefusable: refuse => body?.onRefused(refuse),
      onPiece(piece) {
        byteCount += piece.byteLength
        requireLength(byteCount, bytesMax)
        body?.add(piece.byteLength)
      },
    })
  } finally {
    body?.end()
  }
}

/** The value of Content-Length; 0 without one. */
export function declaredLength(headers: Headers): number {
  return Number(headers.get('content-length') ?? 0)
}

/** @throws ApiError request_too_large */
export function requireLength(byteCount: number, bytesMax: number): void {
  if (byteCount <= bytesMax) return
  throw new ApiError('request_too_large', `The request is larger than ${bytesMax} bytes.`)
}

/** @throws ApiError invalid_request naming the field, or request_too_large */
export async function readJson<Schema extends ZodType>(
  request: Request,
  schema: Schema,
  bytesMax: number = SMALL_BODY_BYTES_MAX,
): Promise<z.output<Schema>> {
  return parseJson(await readBody(request, bytesMax), schema)
}

/**
 * Parses a body; an empty one counts as `{}`.
 * @param scan the scan of these bytes as they arrived; without one they are scanned here
 * @throws ApiError invalid_request naming the field
 */
export async function parseJson<Schema extends ZodType>(
  bytes: Uint8Array,
  schema: Schema,
  scan: JsonScan = scanAll(bytes),
): Promise<z.output<Schema>> {
  const parsed = parseWith(schema, bytes.byteLength === 0 ? {} : await parse(bytes, scan))
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw invalidField(issue?.path.join('.') ?? '', issue?.message)
}

function scanAll(bytes: Uint8Array): JsonScan {
  const scan = new JsonScan()
  for (let at = 0; at < bytes.byteLength; at += SCAN_BYTES) scan.push(bytes.subarray(at, at + SCAN_BYTES))
  return scan
}

async function parse(bytes: Uint8Array, scan: JsonScan): Promise<unknown> {
  try {
    return await parseScanned(bytes, scan)
  } catch {
    throw new ApiError('invalid_request', 'The body is not valid JSON.')
  }
}
