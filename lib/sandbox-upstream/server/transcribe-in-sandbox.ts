import 'server-only'
import { ApiError } from '@/lib/http/api-error'
import { parseMultipart } from '@/lib/http/multipart'
import { readBody } from '@/lib/http/read-body'
import { waveSeconds } from '@/lib/speech/domain/wave-file'

/** A little above what the public route lets through. */
const REQUEST_BYTES_MAX = 26 * 1024 * 1024
/** A recording of speech in a browser's usual quality, 32 kbit/s. */
const BYTES_PER_SECOND = 4_000
const SENTENCE = 'This is what a transcript looks like.'

/** `POST /audio/transcriptions` of the practice listener: always the same sentence. @throws ApiError */
export async function transcribeInSandbox(request: Request): Promise<Response> {
  const body = await readBody(request, REQUEST_BYTES_MAX)
  const parts = parseMultipart(body, request.headers.get('content-type'))
  const recording = parts.find(({ name }) => name === 'file')
  if (!recording) throw new ApiError('invalid_request', 'file is missing.', { param: 'file' })
  const duration = waveSeconds(recording.bytes) ?? recording.bytes.byteLength / BYTES_PER_SECOND
  return Response.json({ task: 'transcribe', language: 'english', duration, text: SENTENCE })
}
