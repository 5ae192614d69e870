import 'server-only'
import { z } from 'zod'
import { readJson } from '@/lib/http/read-body'
import { drawCoin } from './draw-coin'

/** As many as OpenAI allows in one request. */
const IMAGE_COUNT_MAX = 10

const imageRequest = z.object({
  prompt: z.string().max(32_000),
  n: z.int().min(1).max(IMAGE_COUNT_MAX).nullish(),
})

/** `POST /images/generations` of the practice painter. @throws ApiError for a malformed request */
export async function generateInSandbox(request: Request): Promise<Response> {
  const { prompt, n } = await readJson(request, imageRequest, 128 * 1024)
  const images = Array.from({ length: n ?? 1 }, (_, index) => ({
    b64_json: drawCoin(prompt, index).toString('base64'),
  }))
  return Response.json({ created: Math.floor(Date.now() / 1000), data: images })
}
