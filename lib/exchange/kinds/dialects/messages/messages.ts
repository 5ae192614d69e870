import 'server-only'
import { measurePrompt } from '@/lib/catalogue/domain/measure-prompt'
import { quickPromptTokens, tokensPerImage } from '@/lib/catalogue/domain/prompt-tokens'
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

/**
 * Estimates the tokens of a prompt, without asking a host and at no charge. By the quick count: a tokenizer, which is
 * not the model's either, works for up to seven tenths of a second on a hostile text, and nobody would pay for that.
 * @throws ApiError
 */
export function countQuestionTokens(body: unknown): number {
  const request = readTokenCountRequest(body)
  return quickPromptTokens(measurePrompt(messagesToChat(request)), tokensPerImage(request.model))
}
