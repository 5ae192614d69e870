import 'server-only'
import { ApiError } from '@/lib/http/api-error'
import { parseMultipart } from '@/lib/http/multipart'
import { readBody } from '@/lib/http/read-body'
import { measureRecording } from '@/lib/speech/domain/recording-length'

/** A little more than the public route accepts. */
const REQUEST_BYTES_MAX = 26 * 1024 * 1024
const SENTENCE = 'This is what a transcript looks like.'

/** `POST /audio/transcriptions` of the practice transcriber: always the same sentence. @throws ApiError */
export async function transcribeInSandbox(request: Request): Promise<Response> {
  const body = await readBody(request, REQUEST_BYTES_MAX)
  const parts = parseMultipart(body, request.headers.get('content-type'))
  const recording = parts.find(({ name }) => name === 'file')
  if (!recording) throw new ApiError('invalid_request', 'file is missing.', { param: 'file' })
  const measured = measureRecording(recording.bytes)
  if (measured.outcome === 'refused') throw new ApiError('unprocessable', measured.reason, { param: 'file' })
  const { seconds: duration } = measured
  return Response.json({ task: 'transcribe', language: 'english', duration, text: SENTENCE })
}
