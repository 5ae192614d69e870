import { once } from 'node:events'
import { silentWav } from './silent-wav'
import { AnswerOver, type Exchange, playChat, sendJson, startCounts, steer } from './upstream-chat'
import type { Answer, Script } from './upstream-script'
import { type Counts, CREATED_SECONDS, formatUsage } from './upstream-wire'

/** A 1x1 transparent PNG. */
const PIXEL_PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
/** An MPEG frame header and silence: enough for a player to accept as audio. */
const SILENCE_MP3 = Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x64]), Buffer.alloc(413)])

export interface Routes {
  models: () => readonly Record<string, unknown>[]
  generations: Map<string, Record<string, unknown>>
  nextId: () => string
}

/** The part of the script that a path belongs to; null for paths that no upstream has. */
export function routeOf(method: string, path: string): keyof Script | null {
  const pathname = path.split('?')[0]
  if (method === 'GET' && pathname === '/models') return 'models'
  if (method === 'GET' && pathname === '/generation') return 'generation'
  if (method !== 'POST') return null
  if (pathname === '/chat/completions') return 'chat'
  if (pathname === '/images/generations') return 'images'
  if (pathname === '/audio/speech') return 'speech'
  if (pathname === '/audio/transcriptions') return 'transcriptions'
  return null
}

/** Sends one answer. Cut or abandoned answers end quietly. */
export async function playAnswer(
  exchange: Exchange,
  route: keyof Script,
  answer: Answer,
  routes: Routes,
): Promise<void> {
  try {
    for (const step of answer.beforeHeaders ?? []) await steer(exchange, step)
    if (answer.body !== undefined) sendJson(exchange.response, answer, answer.body)
    else if (route === 'chat') await playRecordedChat(exchange, answer, routes)
    else if (route === 'speech') await playSound(exchange, answer)
    else sendBuiltIn(exchange, route, answer, routes)
  } catch (error) {
    if (!(error instanceof AnswerOver)) throw error
  }
}

/**
 * Sound in the steps that a script has for it: `raw` bytes, and what steers. Without any, silence: as WAV,
 * which every browser really plays, where the script says how long.
 */
export async function playSound(exchange: Exchange, answer: Answer): Promise<void> {
  const { response } = exchange
  const wav = answer.audioSeconds === undefined ? null : silentWav(answer.audioSeconds)
  response.writeHead(answer.status ?? 200, {
    'content-type': answer.contentType ?? (wav ? 'audio/wav' : 'audio/mpeg'),
    ...answer.headers,
  })
  response.flushHeaders()
  if (!answer.steps) response.write(wav ?? SILENCE_MP3)
  for (const step of answer.steps ?? []) {
    if (step.type !== 'raw') await steer(exchange, step)
    else if (!response.write(step.text, 'latin1'))
      await Promise.race([once(response, 'drain'), exchange.gone])
  }
  response.end()
}

async function playRecordedChat(exchange: Exchange, answer: Answer, routes: Routes): Promise<void> {
  const id = routes.nextId()
  const counts = startCounts(exchange, answer)
  try {
    await playChat(exchange, answer, id, counts)
  } finally {
    // The record is there for answers that were cut, too: that is what it is asked for.
    recordGeneration(routes, id, counts, answer)
  }
}

function recordGeneration(routes: Routes, id: string, counts: Counts, answer: Answer): void {
  routes.generations.set(id, {
    id,
    total_cost: answer.costUsd ?? 0,
    created_at: new Date(CREATED_SECONDS * 1000).toISOString(),
    tokens_prompt: counts.promptTokens,
    tokens_completion: counts.completionTokens,
    native_tokens_prompt: counts.promptTokens,
    native_tokens_completion: counts.completionTokens,
    native_tokens_reasoning: counts.reasoningTokens,
    cancelled: false,
  })
}

function sendBuiltIn(exchange: Exchange, route: keyof Script, answer: Answer, routes: Routes): void {
  const { request, response } = exchange
  switch (route) {
    case 'models':
      sendJson(response, answer, { object: 'list', data: routes.models() })
      break
    case 'images':
      sendJson(response, answer, imagesBody(request.body, answer))
      break
    case 'transcriptions':
      sendJson(response, answer, { text: 'Hello from the recording.' })
      break
    default:
      sendGeneration(exchange, answer, routes)
  }
}

function sendGeneration({ request, response }: Exchange, answer: Answer, routes: Routes): void {
  const id = new URL(request.path, 'http://stand-in').searchParams.get('id') ?? ''
  const record = routes.generations.get(id)
  if (record) sendJson(response, answer, { data: record })
  else sendJson(response, { status: 404 }, { error: { message: `Generation ${id} not found`, code: 404 } })
}

function imagesBody(body: unknown, answer: Answer): Record<string, unknown> {
  const asked = body !== null && typeof body === 'object' && 'n' in body ? Number(body.n) : 1
  const count = Number.isInteger(asked) && asked > 0 ? asked : 1
  const counts = {
    promptTokens: answer.promptTokens ?? 8,
    cachedTokens: 0,
    completionTokens: 0,
    reasoningTokens: 0,
  }
  const usage = answer.usage?.mode === 'value' ? answer.usage.value : formatUsage(counts, answer.costUsd)
  return {
    created: CREATED_SECONDS,
    data: Array.from({ length: count }, () => ({ b64_json: PIXEL_PNG })),
    ...(answer.usage?.mode === 'absent' ? {} : { usage }),
  }
}
