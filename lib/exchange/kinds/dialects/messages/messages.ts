import 'server-only'
import { measurePrompt } from '@/lib/catalogue/domain/measure-prompt'
import { estimatePromptTokens } from '@/lib/catalogue/domain/prompt-tokens'
import { countTokens } from '@/lib/catalogue/tokenizer/count-tokens'
import type { Dialect } from '../dialect'
import { messagesAnswerForm } from './answer'
import { betaField, readBetas, readMessagesRequest, readTokenCountRequest } from './contract'
import { messagesErrorBody } from './error'
import { anthropicModelNames } from './model-names'
import { nativeMessages } from './native'
import { messagesToChat } from './request'

/** `POST /v1/messages`, Anthropic's API. */
export const MESSAGES: Dialect = {
  name: 'messages',
  read(body, asked) {
    const { request, ignoredFields } = readMessagesRequest(body)
    const { betas, ignoredBetas } = readBetas(asked ?? '')
    const native = nativeMessages(request, betas)
    const unheard = native ? ignoredBetas : [...ignoredBetas, ...betas.map(betaField)]
    return {
      chat: messagesToChat(request),
      ignoredFields: [...ignoredFields, ...unheard],
      answer: messagesAnswerForm(request),
      native,
    }
  },
  modelNames: anthropicModelNames,
  errorBody: messagesErrorBody,
}

/** Estimates the tokens of a prompt, without asking a host and at no charge. @throws ApiError */
export function countQuestionTokens(body: unknown): Promise<number> {
  return estimatePromptTokens(measurePrompt(messagesToChat(readTokenCountRequest(body))), countTokens)
}
