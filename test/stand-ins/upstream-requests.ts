import type { IncomingMessage, ServerResponse } from 'node:http'
import { tryParseJson } from '@/lib/http/domain/try-parse-json'
import type { Exchange } from './upstream-chat'
import type { Gates } from './upstream-gates'
import type { RecordedRequest } from './upstream-script'

const BODY_BYTES_MAX = 64 * 1024 * 1024

/** Reads a whole request and watches how its answer ends. */
export async function recordRequest(
  message: IncomingMessage,
  response: ServerResponse,
  gates: Gates,
): Promise<Exchange> {
  const left = Promise.withResolvers<void>()
  const finished = Promise.withResolvers<void>()
  const rawBody = await readRawBody(message)
  const request: RecordedRequest = {
    method: message.method ?? 'GET',
    path: (message.url ?? '/').replace(/^(\/api)?\/v1/, ''),
    headers: Object.fromEntries(
      Object.entries(message.headers).map(([name, value]) => [name, String(value)]),
    ),
    body: message.url?.endsWith('/images/edits')
      ? await fieldsOfForm(message, rawBody)
      : (tryParseJson(rawBody.toString()) ?? null),
    rawBody,
    abortedAt: null,
    sentEventCount: 0,
    ended: Promise.all([left.promise, finished.promise]).then(() =>
      request.abortedAt === null ? 'completed' : 'aborted',
    ),
  }
  // `close` without `finish`: the connection was lost before the last byte was passed on.
  response.on('close', () => {
    if (!response.writableFinished) request.abortedAt = Date.now()
    left.resolve()
  })
  return { request, response, gates, gone: left.promise, finish: finished.resolve }
}

/** With events, because an iterator costs a benchmark more than the answer does. */
export function readRawBody(message: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = []
    let bytes = 0
    message.on('data', (piece: Buffer) => {
      bytes += piece.length
      if (bytes > BODY_BYTES_MAX) message.destroy(new Error('The request is too large for the stand-in.'))
      pieces.push(piece)
    })
    message.on('end', () => resolve(Buffer.concat(pieces)))
    message.on('error', reject)
  })
}

/** Numbers as such, and each file as its size. */
async function fieldsOfForm({ headers }: IncomingMessage, rawBody: Buffer): Promise<unknown> {
  const type = { 'content-type': headers['content-type'] ?? '' }
  const form = await new Response(new Uint8Array(rawBody), { headers: type }).formData()
  const image = ['image', 'image[]', 'mask']
    .flatMap(name => form.getAll(name))
    .map(file => (file as File).size)
  const texts = [...form].filter(([, value]) => typeof value === 'string')
  const fields = texts.map(([name, value]) => [name, name === 'n' ? Number(value) : value])
  return { ...Object.fromEntries(fields), image }
}
