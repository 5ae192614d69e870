import { services } from '@/lib/composition'
import { handleApi } from '@/lib/http/handle-api'
import { requireAccount } from '@/lib/http/require-account'
import { readGenerateInput, readStopGenerationInput } from '@/lib/images/server/generate-input'

export const runtime = 'nodejs'
export const dynamic = 'force-dynamic'
/** The longest that every plan of the usual serverless host allows, in seconds. */
export const maxDuration = 300

export const POST = handleApi(async request => {
  const input = await readGenerateInput(request)
  const { images } = await services()
  const { status, headers, body } = await images.generate(input)
  return new Response(body, { status, headers })
})

/** Stops the drawing that was asked for under the same Idempotency-Key. */
export const DELETE = handleApi(async request => {
  const { images, ledger } = await services()
  await requireAccount(request, ledger)
  const input = readStopGenerationInput(request)
  return Response.json(await images.stop(input), { headers: { 'cache-control': 'no-store' } })
})
