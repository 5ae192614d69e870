import 'server-only'
import { createHash } from 'node:crypto'
import type { ApiError } from '@/lib/http/api-error'
import type { Kind } from '../../engine/kind'
import type { AnswerForm, NativeQuestion } from '../chat/answer-form'
import { type ChatServices, quoteChat } from '../chat/chat'
import { REQUEST_BYTES_MAX, readChatRequest } from '../chat/contract'

/**
 * Another language for what a chat completion is. A host that speaks it is asked in it, and what that answers goes
 * on as it comes; any other is asked for a chat completion, and what is answered is told in the dialect's words.
 * What it costs, and everything else, is the chat's.
 */
export interface Dialect {
  readonly name: string
  /** @throws ApiError for what has no meaning here, or no bound */
  read(body: unknown, betas?: string | null): DialectQuestion
  /** What the catalogue may call a model of that name, the likeliest first. */
  modelNames?(model: string): readonly string[]
  /** Where its errors have a form of their own. */
  errorBody?(error: ApiError): unknown
}

interface DialectQuestion {
  /** A body of chat completions. */
  chat: { model: string } & Record<string, unknown>
  ignoredFields: readonly string[]
  /** Null: in the chat's own words. */
  answer: AnswerForm | null
  /** Null where it can be asked in chat completions alone. */
  native: NativeQuestion | null
}

export function dialectKind(services: ChatServices, dialect: Dialect): Kind {
  return {
    queryType: 'chat',
    body: { bytesMax: REQUEST_BYTES_MAX, content: 'json' },
    supportsKeyRouting: true,
    async quote({ body, json, betas, keyRouting }) {
      const asked = dialect.read(await json(), betas)
      const model = await knownName(services, dialect, asked.chat.model)
      const { request } = readChatRequest({ ...asked.chat, model })
      const { ignoredFields, answer: answerForm, native } = asked
      // The same body in another dialect has another answer.
      const way = `${dialect.name} ${native?.headerFields?.join() ?? ''}`
      const requestHash = createHash('sha256').update(way).update(body).digest('hex')
      const forms = { answerForm, native, isTranslated: true }
      const quote = await quoteChat(services, { request, ignoredFields, requestHash, keyRouting, ...forms })
      return { ...quote, errorBody: dialect.errorBody }
    },
  }
}

async function knownName(
  { catalogue }: ChatServices,
  { modelNames }: Dialect,
  model: string,
): Promise<string> {
  for (const name of modelNames?.(model) ?? []) if (await catalogue.findModel(name)) return name
  return model
}
