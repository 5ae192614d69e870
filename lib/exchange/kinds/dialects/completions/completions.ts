import 'server-only'
import { randomUUID } from 'node:crypto'
import { asText, fieldsOf, isObject, listOf } from '@/lib/http/domain/is-object'
import { type AnswerForm, DONE_EVENT, dataEvent, type StreamForm } from '../../chat/answer-form'
import type { Dialect } from '../dialect'
import { type CompletionRequest, completionToChat, readCompletionRequest } from './contract'

/** `POST /v1/completions`, for tools that are older than chats. */
export const COMPLETIONS: Dialect = {
  name: 'completions',
  read(body) {
    const { request, ignoredFields } = readCompletionRequest(body)
    const answer = completionForm(request)
    return { chat: completionToChat(request), ignoredFields, answer, native: null }
  },
}

function completionForm({ model, stream_options: options }: CompletionRequest): AnswerForm {
  const hasUsageChunk = options?.include_usage === true
  return {
    stream: () => new CompletionStream(model, hasUsageChunk),
    whole: (answer, usage) => ({ ...headOf(answer, model), choices: choicesOf(answer), usage }),
  }
}

class CompletionStream implements StreamForm {
  readonly #model: string
  readonly #hasUsageChunk: boolean
  #head: Record<string, unknown> | null = null

  constructor(model: string, hasUsageChunk: boolean) {
    this.#model = model
    this.#hasUsageChunk = hasUsageChunk
  }

  take(chunk: Record<string, unknown>): Buffer | null {
    const head = this.#begin(chunk)
    const choices = choicesOf(chunk).filter(
      ({ text, finish_reason: reason }) => text !== '' || reason !== null,
    )
    return choices.length === 0 ? null : dataEvent({ ...head, choices })
  }

  end({ end, usage }: Parameters<StreamForm['end']>[0]): Buffer {
    // As in chats: whoever has not asked for a chunk without choices expects one in every chunk.
    const choices = this.#hasUsageChunk ? [] : choicesOf({ choices: [{}] })
    const last = dataEvent({ ...this.#begin({}), choices, usage })
    return Buffer.concat([last, end.error ? dataEvent(end.error.toBody()) : DONE_EVENT])
  }

  #begin(chunk: Record<string, unknown>): Record<string, unknown> {
    this.#head ??= headOf(chunk, this.#model)
    return this.#head
  }
}

/** The upstream's id of the answer, if it has one. */
function headOf(answer: Record<string, unknown>, model: string): Record<string, unknown> {
  return {
    id: answer.id || `cmpl-${randomUUID()}`,
    object: 'text_completion',
    created: answer.created ?? Math.floor(Date.now() / 1_000),
    model: answer.model ?? model,
  }
}

/** The text of a chat's answer. */
function choicesOf({ choices }: Record<string, unknown>) {
  const listed = listOf(choices)
  return listed.filter(isObject).map(choice => {
    const said = choice.delta ?? choice.message
    const { content, refusal } = fieldsOf(said)
    return {
      index: choice.index ?? 0,
      text: textOf(content) + textOf(refusal),
      logprobs: null,
      finish_reason: choice.finish_reason ?? null,
    }
  })
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  const parts = listOf(content)
  return parts.map(part => asText(fieldsOf(part).text)).join('')
}
