import 'server-only'
import type { Kind } from '../../../engine/kind'
import type { Dialect } from '../dialect'
import { responsesAnswerForm } from './answer'
import { isResponsesBody, OPTIONAL_TOOLS, type ResponsesRequest, readResponsesRequest } from './contract'
import { nativeResponses } from './native'
import { responsesToChat } from './request'
import { toolsOf } from './tools'

/** `POST /v1/responses`, OpenAI's API, without anything that a host would store. */
export const RESPONSES: Dialect = {
  name: 'responses',
  read(body) {
    const { request, ignoredFields } = read(body)
    const forms = { answer: responsesAnswerForm(request), native: nativeResponses(request) }
    return { chat: responsesToChat(request), ignoredFields, ...forms }
  },
}

/** Chat completions that are requested in the form of Responses, as some clients do that expect a chat's answer. */
export const CHAT_IN_RESPONSES: Dialect = {
  ...RESPONSES,
  name: 'chat in responses',
  read: body => ({ ...RESPONSES.read(body), answer: null, native: null }),
}

/** Chooses the kind by the form of the body. */
export function eitherKind(chat: Kind, responses: Kind): Kind {
  return {
    ...chat,
    async quote(input) {
      const body = await input.json()
      const kind = isResponsesBody(body) ? responses : chat
      return kind.quote({ ...input, json: async () => body })
    },
  }
}

function read(body: unknown): { request: ResponsesRequest; ignoredFields: string[] } {
  const { request, ignoredFields } = readResponsesRequest(body)
  const left = OPTIONAL_TOOLS.filter(type => toolsOf(request).some(tool => tool.type === type))
  return { request, ignoredFields: [...ignoredFields, ...left.map(type => `tools.${type}`)] }
}
