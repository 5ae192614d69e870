import 'server-only'
import type { IncomingMessage } from 'node:http'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import { readRefusal } from '@/lib/http/upstream/read-refusal'
import { type SendInput, sendUpstream } from '@/lib/http/upstream/send-upstream'
import { UpstreamFailure } from '@/lib/http/upstream/upstream-failure'

/**
 * Posts to ElevenLabs, whose key travels in a header of its own, and resolves with an answer of status 200.
 * What it does not find is a fault of the request; its other complaints are judged like any upstream's.
 */
export async function askElevenLabs(
  elevenLabs: UpstreamSettings,
  input: Omit<SendInput, 'upstream'> & { notFound: { message: string; param: string } },
): Promise<IncomingMessage> {
  const { notFound, ...send } = input
  const response = await sendUpstream({
    ...send,
    upstream: { ...elevenLabs, apiKey: null },
    headers: { ...send.headers, 'xi-api-key': elevenLabs.apiKey ?? '' },
  })
  if (response.statusCode === 200) return response
  const failure = await readRefusal(response, elevenLabs, send.signal)
  if (failure.detail.status !== 404) throw failure
  throw new UpstreamFailure('client_fault', notFound.message, { status: 400, param: notFound.param })
}
