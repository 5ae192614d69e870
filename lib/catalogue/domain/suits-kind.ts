import { isZero } from '@/lib/money/decimal'
import type { ModelKind, Prices } from './model'

/**
 * Whether a kind of model can be charged by these prices; one that cannot is not offered.
 *
 * - Chat and image models are paid by token, request and image. A price per character or second says that
 *   the rest of their prices may be missing, and missing is never free.
 * - Speech is paid by the character it reads; without such a price by the token of its text. What it says
 *   is not counted in tokens by anybody, so it must not cost anything per token.
 * - Transcription is paid by the second; it may also be free.
 */
export function suitsKind(kind: ModelKind, prices: Prices): boolean {
  const { inputCharacter, inputSecond, prompt, completion } = prices
  switch (kind) {
    case 'chat':
    case 'image':
      return inputCharacter === null && inputSecond === null
    case 'speech':
      return inputSecond === null && isZero(completion)
    case 'transcription':
      return inputCharacter === null && isZero(prompt) && isZero(completion)
  }
}
