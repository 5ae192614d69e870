import 'server-only'
import type { ApiError } from '@/lib/http/api-error'
import { hashOfRequest, type Kind } from '../../engine/kind'
import type { AnswerForm, NativeQuestion } from '../chat/answer-form'
import { quoteChat } from '../chat/chat'
import { REQUEST_BYTES_MAX, readChatRequest } from '../chat/contract'
import type { KindServices } from '../kind-services'

/**
 * Another API for what a chat completion is. A host that speaks it is asked in it, and its answer is passed through;
 * any other host is asked for a chat completion, and its answer is translated. Its cost, and everything else, is that
 * of a chat.
 */
export interface Dialect {
  readonly name: string
  /** @throws ApiError for what has no equivalent here, or no bound */
  read(body: unknown, betas?: string | null): DialectQuestion
  /** The catalogue's possible ids for a model of that name, the likeliest first. */
  modelNames?(model: string): readonly string[]
  /** For a dialect whose errors have a form of their own. */
  errorBody?(error: ApiError): unknown
}

interface DialectQuestion {
  /** The body of the chat completion. */
  chat: { model: string } & Record<string, unknown>
  ignoredFields: readonly string[]
  /** Null if the answer is written as a chat completion. */
  answer: AnswerForm | null
  /** Null if hosts can only be asked for a chat completion. */
  native: NativeQuestion | null
}

export function dialectKind(services: KindServices, dialect: Dialect): Kind {
  return {
    queryType: 'chat',
    body: { bytesMax: REQUEST_BYTES_MAX, content: 'json' },
    supportsKeyRouting: true,
    async quote({ body, json, betas, keyRouting }) {
      const asked = dialect.read(await json(), betas)
      const model = await knownName(services, dialect, asked.chat.model)
      const { request } = readChatRequest({ ...asked.chat, model })
      const { ignoredFields, answer: answerForm, native } = asked
      // The same body has another answer in another dialect.
      const way = `${dialect.name} ${native?.headerFields?.join() ?? ''}`
      const requestHash = hashOfRequest(way, body)
      const forms = { answerForm, native, isTranslated: true }
      const quote = await quoteChat(services, { request, ignoredFields, requestHash, keyRouting, ...forms })
      return { ...quote, errorBody: dialect.errorBody, lateErrorBody: answerForm?.failed }
    },
  }
}

async function knownName(
  { catalogue }: KindServices,
  { modelNames }: Dialect,
  model: string,
): Promise<string> {
  for (const name of modelNames?.(model) ?? []) if (await catalogue.findModel(name)) return name
  return model
}
