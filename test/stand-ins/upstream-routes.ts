import { wave } from './sounds'
import { type Generation, pictureCount, recordingTokens, tokensOfPicture } from './upstream-bill'
import { AnswerOver, type Exchange, playChat, sendJson, steer } from './upstream-chat'
import { drained } from './upstream-event-writer'
import { countTokens, fieldOfForm, fieldsOf, secondsOfSound } from './upstream-prompt'
import type { Answer, HostScript, RecordedRequest, RouteName } from './upstream-script'
import { CREATED_SECONDS, formatUsage } from './upstream-wire'

/** A 1x1 transparent PNG. */
const PIXEL_PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
/** An MPEG frame header and silence: enough for a player to accept as audio. */
const SILENCE_MP3 = Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x64]), Buffer.alloc(413)])
/** 128 kbit/s, if a recording's header does not say. */
const RECORDING_BYTES_PER_SECOND = 16_000
const CONTEXT_LENGTH_ASSUMED = 128_000
/** A provider that a request can name, and its factor on the listed price. */
const DEAR_PROVIDER = 'dear-provider'
const DEAR_PROVIDER_FACTOR = 3
const TIER_FACTORS: Readonly<Record<string, number>> = { priority: 2, flex: 0.5 }
const TOKENS_PER_MILLION = 1_000_000

export type ModelList = readonly Readonly<Record<string, unknown>>[]

const ROUTES: Readonly<Record<string, RouteName>> = {
  'GET /models': 'models',
  'GET /generation': 'generation',
  'POST /chat/completions': 'chat',
  'POST /messages': 'chat',
  'POST /responses': 'chat',
  'POST /embeddings': 'embeddings',
  'POST /images/generations': 'images',
  'POST /images/edits': 'images',
  'POST /images': 'images',
  'POST /audio/speech': 'speech',
  'POST /audio/transcriptions': 'transcriptions',
}

/** The part of the script that a path belongs to; null for paths that no upstream has. */
export function routeOf(method: string, path: string): RouteName | null {
  return ROUTES[`${method} ${path.split('?')[0]}`] ?? null
}

/** Starts the bill; null if none of the requested models answers, or none at an allowed price. */
export function startGeneration(input: {
  id: string
  route: RouteName
  request: RecordedRequest
  models: ModelList
  host: HostScript
}): Generation | null {
  const { id, route, request, models, host } = input
  const body = fieldsOf(request.body)
  const named = [
    body.model ?? body.model_id ?? fieldOfForm(request.rawBody, 'model', 'model_id'),
    body.models ?? [],
  ].flat()
  const model = named.map(String).find(name => !host.downModels?.includes(name))
  if (model === undefined) return null
  const listed = models.find(entry => entry.id === model)
  const pricing = fieldsOf(listed?.pricing)
  const providerFactor = factorOfProvider(fieldsOf(body.provider), pricing, host)
  if (providerFactor === null) return null
  const asked = typeof body.service_tier === 'string' ? body.service_tier : null
  const serviceTier = asked === 'flex' && host.isBusy ? 'default' : asked
  return {
    id,
    route,
    request,
    model,
    pricing,
    contextLength: Number(listed?.context_length ?? CONTEXT_LENGTH_ASSUMED),
    priceFactor: providerFactor * (TIER_FACTORS[serviceTier ?? ''] ?? 1),
    serviceTier,
    choiceCount: typeof body.n === 'number' ? body.n : 1,
    cachedTokenCount: 0,
    outputTokenCount: 0,
    reasoningTokenCount: 0,
    searchCount: 0,
    recordingSeconds: 0,
    isWaived: false,
  }
}

/** Sends one answer, and counts its cost. Cut or abandoned answers end quietly. */
export async function playAnswer(
  exchange: Exchange,
  answer: Answer,
  generation: Generation,
  routes: { models: ModelList; generations: ReadonlyMap<string, { generation: Generation; answer: Answer }> },
): Promise<void> {
  const { route, request } = generation
  generation.cachedTokenCount = answer.cachedTokens ?? 0
  generation.recordingSeconds =
    answer.recordingSeconds ?? secondsOfSound(recordingOf(request.rawBody), RECORDING_BYTES_PER_SECOND)
  const isFailure = (answer.status ?? 200) >= 300 || fieldsOf(answer.body).error !== undefined
  generation.isWaived = answer.bills === 'nothing' || (isFailure && answer.bills !== 'whole')
  try {
    if (route === 'chat' && answer.body === undefined) return await playChat(exchange, answer, generation)
    for (const step of answer.beforeHeaders ?? []) await steer(exchange, step)
    if (answer.body !== undefined) sendJson(exchange.response, answer, answer.body)
    else if (route === 'speech') await playSound(exchange, answer)
    else if (route === 'models') sendJson(exchange.response, answer, { object: 'list', data: routes.models })
    else if (route === 'images') sendJson(exchange.response, answer, imagesBody(answer, generation))
    else if (route === 'embeddings') sendJson(exchange.response, answer, embeddingsBody(answer, generation))
    else if (route === 'transcriptions')
      sendJson(exchange.response, answer, transcriptBody(answer, generation))
    else sendRecord(exchange, answer, routes.generations)
  } catch (error) {
    if (!(error instanceof AnswerOver)) throw error
    const isFailure = error.why === 'cut' && !exchange.response.headersSent
    if (isFailure && answer.bills !== 'whole') generation.isWaived = true
  }
}

/**
 * The sound in a script's steps: `raw` bytes, and steps that steer. Without any, silence: as WAV, which every browser
 * really plays, if the script gives a length.
 */
async function playSound(exchange: Exchange, answer: Answer): Promise<void> {
  const { response } = exchange
  const recording = answer.audioSeconds === undefined ? null : wave(answer.audioSeconds).bytes
  response.writeHead(answer.status ?? 200, {
    'content-type': answer.contentType ?? (recording ? 'audio/wav' : 'audio/mpeg'),
    ...answer.headers,
  })
  response.flushHeaders()
  if (!answer.steps) response.write(recording ?? SILENCE_MP3)
  for (const step of answer.steps ?? []) {
    if (step.type !== 'raw') await steer(exchange, step)
    else if (!response.write(step.text, 'latin1')) await drained(response)
  }
  response.end()
}

/** The record also exists for answers that were cut, because that is when it is needed. */
function sendRecord(
  { request, response }: Exchange,
  answer: Answer,
  generations: ReadonlyMap<string, { generation: Generation; answer: Answer }>,
): void {
  const id = new URL(request.path, 'http://stand-in').searchParams.get('id') ?? ''
  const found = generations.get(id)
  if (!found) {
    sendJson(response, { status: 404 }, { error: { message: `Generation ${id} not found`, code: 404 } })
    return
  }
  const { generation } = found
  const usage = formatUsage(generation, found.answer)
  const data = {
    id,
    model: generation.model,
    total_cost: usage.cost ?? 0,
    is_byok: found.answer.byok ?? false,
    ...fieldsOf(usage.cost_details),
    created_at: new Date(CREATED_SECONDS * 1000).toISOString(),
    tokens_prompt: usage.prompt_tokens,
    tokens_completion: usage.completion_tokens,
    native_tokens_prompt: usage.prompt_tokens,
    native_tokens_completion: usage.completion_tokens,
    native_tokens_reasoning: generation.reasoningTokenCount * generation.choiceCount,
    cancelled: false,
  }
  sendJson(response, answer, { data })
}

function imagesBody(answer: Answer, generation: Generation): Record<string, unknown> {
  const count = pictureCount(generation.request.body)
  const tokens =
    generation.pricing.image_output === undefined ? 0 : count * tokensOfPicture(generation.request.body)
  const report = { ...formatUsage(generation, answer), completion_tokens: tokens }
  const usage = answer.usage?.mode === 'value' ? answer.usage.value : report
  return {
    created: CREATED_SECONDS,
    data: Array.from({ length: count }, () => ({ b64_json: PIXEL_PNG })),
    ...(answer.usage?.mode === 'absent' ? {} : { usage }),
  }
}

/** With the counts of a model that is priced by the token, as OpenAI tells them. */
function transcriptBody(answer: Answer, generation: Generation): Record<string, unknown> {
  const text = answer.transcript ?? 'Hello from the recording.'
  generation.outputTokenCount = countTokens(text)
  if (generation.pricing.input_second !== undefined || answer.usage?.mode === 'absent') return { text }
  const { soundTokenCount: audio_tokens, promptTokenCount: text_tokens } = recordingTokens(generation)
  const [input_tokens, output_tokens] = [audio_tokens + text_tokens, generation.outputTokenCount]
  const counts = {
    type: 'tokens',
    input_tokens,
    input_token_details: { text_tokens, audio_tokens },
    output_tokens,
    total_tokens: input_tokens + output_tokens,
  }
  return { text, usage: answer.usage?.mode === 'value' ? answer.usage.value : counts }
}

const DIMENSION_COUNT = 8

/** Vectors that depend only on their text and position, in the requested format. */
function embeddingsBody(answer: Answer, generation: Generation): Record<string, unknown> {
  const { input, encoding_format: format, dimensions } = fieldsOf(generation.request.body)
  const inputs = Array.isArray(input) && typeof input[0] !== 'number' ? input : [input]
  const count = typeof dimensions === 'number' ? dimensions : DIMENSION_COUNT
  const { prompt_tokens: tokens, total_tokens: total, ...report } = formatUsage(generation, answer)
  const usage =
    answer.usage?.mode === 'value'
      ? answer.usage.value
      : { prompt_tokens: tokens, total_tokens: total, ...costOf(report) }
  return {
    object: 'list',
    data: inputs.map((each, index) => {
      const { length } = JSON.stringify(each)
      const vector = Float32Array.from({ length: count }, (_, place) => length / (place + 1))
      const bytes = Buffer.from(vector.buffer)
      return {
        object: 'embedding',
        index,
        embedding: format === 'base64' ? bytes.toString('base64') : [...vector],
      }
    }),
    model: generation.model,
    ...(answer.usage?.mode === 'absent' ? {} : { usage }),
  }
}

function costOf({ cost, is_byok, cost_details }: Record<string, unknown>) {
  return { cost, is_byok, cost_details }
}

/** Only one provider is listed; null if it is dearer than `max_price` and nothing else is allowed. */
function factorOfProvider(
  provider: Record<string, unknown>,
  pricing: Record<string, unknown>,
  host: HostScript,
): number | null {
  const wanted = [provider.order, provider.only].flat()
  const factor = wanted.includes(DEAR_PROVIDER) ? DEAR_PROVIDER_FACTOR : (host.priceFactor ?? 1)
  const limits = fieldsOf(provider.max_price)
  const fits = (times: number) =>
    ['prompt', 'completion'].every(
      name =>
        limits[name] === undefined ||
        Number(pricing[name]) * times * TOKENS_PER_MILLION <= Number(limits[name]),
    )
  return [factor, 1].find(fits) ?? null
}

/** The file in a form, or everything if there is none. */
function recordingOf(rawBody: Buffer): Buffer {
  const name = rawBody.indexOf('filename="')
  const start = rawBody.indexOf('\r\n\r\n', Math.max(0, name)) + 4
  return name < 0 || start < 4 ? rawBody : rawBody.subarray(start, rawBody.indexOf('\r\n--', start))
}
