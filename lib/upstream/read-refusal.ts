import 'server-only'
import type { IncomingMessage } from 'node:http'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import { fieldsOf, isObject, listOf } from '@/lib/http/domain/is-object'
import { UpstreamFailure } from './ask-upstreams'
import { parseJsonObject, readUpstreamBody } from './read-body'
import { upstreamDialect } from './upstream-dialect'

/** Statuses that mean that the request itself is wrong, and would be wrong everywhere. */
const CLIENT_FAULT_STATUSES: ReadonlySet<number> = new Set([400, 413, 415, 422])
/** A proxy gave up waiting for a host that may still be working, and bill. */
const GATEWAY_TIMEOUT_STATUSES: ReadonlySet<number> = new Set([408, 504, 522, 524])
/** A refusal is a sentence; the rest of a longer one is not read. */
const REFUSAL_BYTES_MAX = 64 * 1024
const MESSAGE_CHARACTER_COUNT_MAX = 2_000
/** A shorter one guards nothing: hosts without keys are given `none`, `EMPTY` or `ollama`, which messages contain. */
const KEY_LENGTH_MIN = 8
const PARAM_CHARACTER_COUNT_MAX = 256
/** OpenAI's and Anthropic's clients wait no longer, whatever the header says. */
const RETRY_AFTER_SECONDS_MAX = 60
/** A refusal whose body does not arrive is still a refusal. */
const REFUSAL_TIMEOUT_MS = 5_000

/**
 * Turns an upstream's answer with an error status into a failure that names neither its host nor its key, with what it
 * reports of its usage.
 */
export async function readRefusal(
  response: IncomingMessage,
  upstream: UpstreamSettings,
  signal: AbortSignal,
): Promise<{ failure: UpstreamFailure; usage?: unknown }> {
  const status = response.statusCode ?? 0
  if (status < 400) {
    response.destroy()
    // For any success status, all of the work may have been done.
    const message = 'The upstream answered with a status other than 200.'
    const mayBillAll = status >= 200 && status < 300
    return { failure: new UpstreamFailure('refused', message, { status, mayBillAll }) }
  }
  const body = await readBody(response, signal)
  const failure = refusalOf(status, body?.error ?? body, upstream, retryAfterSecondsOf(response))
  return { failure, usage: body?.usage }
}

/** The error in an answer, or an event, of a call with status 200; null if it has none. Some hosts do not wrap it. */
export function errorIn(body: Record<string, unknown> | null): unknown {
  if (body === null) return null
  if (isError(body.error)) return body.error
  return body.object === 'error' || body.type === 'error' || isBareDetail(body) ? body : null
}

/**
 * How a choice failed, if one did, in an answer whose status is well: OpenRouter tells it there, or only that it did.
 * https://openrouter.ai/docs/api/reference/overview (`NonStreamingChoice`, `StreamingChoice`)
 */
export function errorInChoices(choices: unknown): unknown {
  const failed = listOf(choices).map(fieldsOf).find(hasFailed)
  return failed ? (isError(failed.error) ? failed.error : failed) : null
}

export function hasFailed(choice: Record<string, unknown>): boolean {
  return isError(choice.error) || choice.finish_reason === 'error'
}

/** What FastAPI, on which many hosts are built, makes of an exception. */
function isBareDetail(body: Record<string, unknown>): boolean {
  return body.detail !== undefined && Object.keys(body).length === 1
}

/** Some hosts send an empty error with every answer. */
function isError(error: unknown): boolean {
  return error !== undefined && error !== null && error !== '' && error !== false
}

/** The same for an error in an answer with status 200. OpenRouter puts the real status into `code`. */
export function inBandRefusal(error: unknown, upstream: UpstreamSettings): UpstreamFailure {
  const code = isObject(error) ? Number(error.code) : Number.NaN
  const status = Number.isInteger(code) && code >= 400 && code < 600 ? code : 502
  return refusalOf(status, error, upstream)
}

function refusalOf(
  status: number,
  error: unknown,
  upstream: UpstreamSettings,
  retryAfterSeconds?: number,
): UpstreamFailure {
  const fields = fieldsOf(error)
  const filtered = filteredPart(error, upstream)
  if (filtered) {
    const message = 'The host of this model refused this request under its content rules.'
    const billed = filtered === 'prompt' ? { billsPrompt: true } : { mayBill: true }
    return new UpstreamFailure('client_fault', message, { status: status === 403 ? 403 : 400, ...billed })
  }
  if (!CLIENT_FAULT_STATUSES.has(status) && !isModeration(status, fields)) {
    const mayBill = GATEWAY_TIMEOUT_STATUSES.has(status)
    return new UpstreamFailure('refused', `The upstream refused the request (${status}).`, {
      status,
      mayBill,
      mayBillAll: mayBill && !isOwnWord(fields),
      retryAfterSeconds,
    })
  }
  const clean = cleanerFor(upstream)
  return new UpstreamFailure('client_fault', clean(messageIn(fields)).slice(0, MESSAGE_CHARACTER_COUNT_MAX), {
    status,
    param: typeof fields.param === 'string' ? clean(fields.param).slice(0, PARAM_CHARACTER_COUNT_MAX) : null,
    isTooLong: isTooLong(fields),
  })
}

/** An error as model hosts write it: the host itself gave up, where a proxy's page leaves it at work. */
function isOwnWord({ message, code, type }: Record<string, unknown>): boolean {
  return typeof message === 'string' && (code !== undefined || type !== undefined)
}

function retryAfterSecondsOf({ headers }: IncomingMessage): number | undefined {
  const told = headers['retry-after'] ?? ''
  return /^\d{1,2}$/.test(told) && Number(told) <= RETRY_AFTER_SECONDS_MAX ? Number(told) : undefined
}

/** OpenRouter's 403 for moderation has reasons; any other 403 is about our key. */
function isModeration(status: number, error: Record<string, unknown>): boolean {
  return status === 403 && isObject(error.metadata) && Array.isArray(error.metadata.reasons)
}

/**
 * Azure and xAI bill a prompt that they refuse for what it says, and xAI a picture that it has drawn and holds back;
 * LiteLLM passes on their words. A router bills no refusal.
 * https://learn.microsoft.com/azure/ai-services/openai/how-to/manage-costs (HTTP error response code and billing status)
 * https://docs.x.ai/developers/pricing#usage-guidelines-violation-fee
 */
const FILTERED_PROMPT = /^content_filter$|content management policy|violates usage guidelines/i
const FILTERED_ANSWER = /rejected by content moderation/i

/** What it bills of a request that it filtered; null if that is not why it failed. xAI's error is a text. */
function filteredPart(error: unknown, { baseUrl }: UpstreamSettings): 'prompt' | 'answer' | null {
  if (upstreamDialect(baseUrl).routes) return null
  const { code, message } = fieldsOf(error)
  const says = (words: RegExp) =>
    [error, code, message].some(text => typeof text === 'string' && words.test(text))
  if (says(FILTERED_PROMPT)) return 'prompt'
  return says(FILTERED_ANSWER) ? 'answer' : null
}

/**
 * The request exceeds the context window. OpenAI and Groq say so in `code`, llama.cpp in `type`; vLLM, Mistral and
 * OpenRouter (maximum context length), Anthropic and Google only in the message. OpenRouter keeps a provider's own
 * message in `raw`.
 */
const TOO_LONG =
  /context_length_exceeded|exceed_context_size_error|maximum context length|prompt is too long|input token count .{0,64}exceeds/i

function isTooLong({ code, type, message, metadata }: Record<string, unknown>): boolean {
  const told = [code, type, message, isObject(metadata) ? metadata.raw : null]
  return told.some(text => typeof text === 'string' && TOO_LONG.test(text))
}

async function readBody(
  response: IncomingMessage,
  signal: AbortSignal,
): Promise<Record<string, unknown> | null> {
  try {
    const bytes = await readUpstreamBody(response, {
      bytesMax: REFUSAL_BYTES_MAX,
      timeoutMs: REFUSAL_TIMEOUT_MS,
      signal,
    })
    return parseJsonObject(bytes.toString('utf8'))
  } catch (error) {
    if (signal.aborted) throw error
    return null
  }
}

function messageIn(error: Record<string, unknown>): string {
  const { detail } = error
  const told = [error.message, isObject(detail) ? detail.message : detail].find(
    text => typeof text === 'string' && text.trim() !== '',
  )
  return typeof told === 'string' ? told : 'The model refused the request.'
}

/** Takes the host and its key out of what it says, in which it may repeat the request. */
function cleanerFor({ baseUrl, apiKey }: UpstreamSettings): (text: string) => string {
  const { host, hostname } = new URL(baseUrl)
  // The key first: it might contain the name of the host, and only its rest would be left to find.
  const key = apiKey !== null && apiKey.length >= KEY_LENGTH_MIN ? [apiKey] : []
  const secrets = [...key, baseUrl, host, hostname]
  return text =>
    secrets
      .reduce((rest, secret) => rest.replaceAll(secret, '[upstream]'), text)
      .replace(/sk[-_][\w-]{8,}/g, '[key]')
}
