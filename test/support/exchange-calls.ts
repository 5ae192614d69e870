import 'server-only'
import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { measurePrompt } from '@/lib/catalogue/domain/measure-prompt'
import { estimatePromptTokens, tokensPerImage } from '@/lib/catalogue/domain/prompt-tokens'
import { countTokens } from '@/lib/catalogue/tokenizer/count-tokens'
import type { ExchangeReply } from '@/lib/exchange/engine/reply'
import type { Kinds } from '@/lib/exchange/kinds/kinds'
import { parseJson } from '@/lib/http/read-body'
import { OPUS_20_MS } from '@/test/fixtures/recordings/ogg'
import { webmFile } from '@/test/fixtures/recordings/webm'
import type { TestCustomer, TestSite } from './exchange-site'

export interface AskOptions {
  body?: Record<string, unknown>
  idempotencyKey?: string
  resumeKey?: string
  maxChargeNano?: bigint
  signal?: AbortSignal
  takeFree?: () => Promise<void>
}

export const QUESTION = {
  model: 'standin/small',
  messages: [{ role: 'user', content: 'Say hello.' }],
  stream: true,
}

/** The stand-in's painter, at four cents a picture. */
const PICTURE = { model: 'standin/painter', prompt: 'A copper coin' }

/** Ten characters at $0.00002: 200,000 nano-dollars. */
export const TEXT = 'Read this.'
export const TEXT_COST_NANO = 200_000n

/** A chat completion. */
export function ask(
  site: TestSite,
  customer: TestCustomer,
  options: AskOptions = {},
): Promise<ExchangeReply> {
  return call(site, customer, 'chat', jsonBody({ ...QUESTION, ...options.body }), options)
}

/** The same question in the dialect of OpenAI's Responses. */
export function askInResponses(
  site: TestSite,
  customer: TestCustomer,
  options: AskOptions = {},
): Promise<ExchangeReply> {
  const { messages: input, ...rest } = QUESTION
  return call(site, customer, 'responses', jsonBody({ ...rest, input, ...options.body }), options)
}

/** The same question as a text to be completed. */
export function complete(
  site: TestSite,
  customer: TestCustomer,
  options: AskOptions = {},
): Promise<ExchangeReply> {
  const { messages: _messages, ...rest } = QUESTION
  const body = jsonBody({ ...rest, prompt: 'Say hello.', ...options.body })
  return call(site, customer, 'completions', body, options)
}

/** The same question in Anthropic's dialect. */
export function askInMessages(
  site: TestSite,
  customer: TestCustomer,
  options: AskOptions = {},
): Promise<ExchangeReply> {
  const body = jsonBody({ ...QUESTION, max_tokens: 1_000, ...options.body })
  return call(site, customer, 'messages', body, options)
}

/** Embeds one short text. */
export function embed(
  site: TestSite,
  customer: TestCustomer,
  options: AskOptions = {},
): Promise<ExchangeReply> {
  const body = jsonBody({ model: 'standin/embedder', input: 'A copper coin', ...options.body })
  return call(site, customer, 'embeddings', body, options)
}

export function draw(
  site: TestSite,
  customer: TestCustomer,
  options: AskOptions = {},
): Promise<ExchangeReply> {
  return call(site, customer, 'images', jsonBody({ ...PICTURE, ...options.body }), options)
}

/** Posts a form with pictures, encoded by the platform itself. */
export async function editImage(
  site: TestSite,
  customer: TestCustomer,
  input: { fields?: Record<string, string>; files: readonly (readonly [string, Uint8Array<ArrayBuffer>])[] },
  options: Omit<AskOptions, 'body'> = {},
): Promise<ExchangeReply> {
  const form = new FormData()
  const fields = { model: 'standin/editor', prompt: 'A copper coin', ...input.fields }
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  for (const [name, bytes] of input.files) form.append(name, new Blob([bytes]), 'evil".exe')
  const request = new Request('http://site.test', { method: 'POST', body: form })
  const body = new Uint8Array(await request.arrayBuffer())
  return call(site, customer, 'imageEdits', body, options, request.headers.get('content-type'))
}

export function speak(
  site: TestSite,
  customer: TestCustomer,
  fields: Record<string, unknown> = {},
  options: Omit<AskOptions, 'body'> = {},
): Promise<ExchangeReply> {
  const body = jsonBody({ model: 'standin/reader', input: TEXT, voice: 'alloy', ...fields })
  return call(site, customer, 'speech', body, options)
}

/** Twelve seconds of silence, as recorded by a browser. */
function voiceMessage(): Blob {
  const frames = Array.from({ length: 600 }, () => OPUS_20_MS)
  return new Blob([new Uint8Array(webmFile({ frames, isSizeUnknown: true }))])
}

/** Posts a form, encoded by the platform itself. */
export async function transcribe(
  site: TestSite,
  customer: TestCustomer,
  input: { fields?: Record<string, string>; file?: Blob; fileName?: string } = {},
  options: Omit<AskOptions, 'body'> = {},
): Promise<ExchangeReply> {
  const form = new FormData()
  form.set('model', 'standin/whisper')
  for (const [name, value] of Object.entries(input.fields ?? {})) form.set(name, value)
  form.set('file', input.file ?? voiceMessage(), input.fileName ?? 'voice.webm')
  const request = new Request('http://site.test', { method: 'POST', body: form })
  const body = new Uint8Array(await request.arrayBuffer())
  return call(site, customer, 'transcription', body, options, request.headers.get('content-type'))
}

function call(
  { exchanges, kinds }: TestSite,
  { credential }: TestCustomer,
  kind: keyof Kinds,
  body: Uint8Array,
  options: Omit<AskOptions, 'body'>,
  contentType: string | null = 'application/json',
): Promise<ExchangeReply> {
  return exchanges.begin(kinds[kind], {
    credential,
    body,
    json: () => parseJson(body, z.unknown()),
    contentType,
    querySource: options.resumeKey === undefined ? 'api' : 'web',
    takeFree: options.takeFree ?? (async () => {}),
    idempotencyKey: options.idempotencyKey ?? null,
    maxChargeNano: options.maxChargeNano ?? null,
    resumeKey: options.resumeKey ?? null,
    signal: options.signal ?? new AbortController().signal,
  })
}

function jsonBody(fields: Record<string, unknown>): Uint8Array {
  return Buffer.from(JSON.stringify(fields))
}

export const newResumeKey = () => randomBytes(32).toString('base64url')

/** The cost of the stand-in's small model by our own count, at one and two dollars per million tokens. */
export async function ownCount(answer: string, body: Record<string, unknown> = {}) {
  const measure = measurePrompt({ ...QUESTION, ...body })
  const inputTokenCount = await estimatePromptTokens(measure, countTokens, tokensPerImage(QUESTION.model))
  const outputTokenCount = await countTokens([answer])
  const chargedNano = BigInt(inputTokenCount) * 1_000n + BigInt(outputTokenCount) * 2_000n
  return { inputTokenCount, outputTokenCount, chargedNano }
}
