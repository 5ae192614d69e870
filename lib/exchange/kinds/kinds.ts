import 'server-only'
import type { Kind } from '../engine/kind'
import { chatKind } from './chat/chat'
import { COMPLETIONS } from './dialects/completions/completions'
import { dialectKind } from './dialects/dialect'
import { MESSAGES } from './dialects/messages/messages'
import { CHAT_IN_RESPONSES, eitherKind, RESPONSES } from './dialects/responses/responses'
import { embeddingsKind } from './embeddings/embeddings'
import { imageEditsKind, imagesKind } from './images/images'
import type { AudioServices } from './kind-services'
import { speechKind } from './speech/speech'
import { transcriptionKind } from './transcription/transcription'

export type Kinds = ReturnType<typeof createKinds>

/** Everything that can be paid for, by the name of its route's handler. */
export function createKinds(services: AudioServices) {
  return {
    chat: eitherKind(chatKind(services), dialectKind(services, CHAT_IN_RESPONSES)),
    completions: dialectKind(services, COMPLETIONS),
    responses: dialectKind(services, RESPONSES),
    messages: dialectKind(services, MESSAGES),
    embeddings: embeddingsKind(services),
    images: imagesKind(services),
    imageEdits: imageEditsKind(services),
    speech: speechKind(services),
    transcription: transcriptionKind(services),
  } satisfies Record<string, Kind>
}
