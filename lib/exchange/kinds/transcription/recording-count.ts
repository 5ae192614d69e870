import 'server-only'
import { cost, NO_USAGE } from '@/lib/catalogue/domain/cost'
import type { Model, TokenUsage } from '@/lib/catalogue/domain/model'
import { isHeardByToken } from '@/lib/catalogue/domain/suits-kind'
import { readByteCountMax } from '@/lib/catalogue/domain/text-bytes'
import { upperBound } from '@/lib/catalogue/domain/upper-bound'
import { countTokens } from '@/lib/catalogue/tokenizer/count-tokens'
import type { Decimal } from '@/lib/money/decimal'
import type { Nano } from '@/lib/money/nano'
import {
  heardTokenCountMax,
  LIKELY_PER_SECOND,
  SOUND_PER_SECOND_MIN,
  transcriptTokenCountMax,
} from '@/lib/speech/domain/recording-tokens'
import type { Transcript } from '@/lib/speech/domain/transcript'
import { chargedSeconds, priceTranscription } from '@/lib/speech/domain/transcription-cost'
import { type Counted, type Counts, countsOf, NO_COUNTS } from '../../domain/decide-charge'
import type { Evidence } from '../../engine/kind'
import { isBeyondPossible, readUpstreamCount, TEXT_ALONE } from '../usage'

/** What a recording costs, by the unit that its model is priced by. */
export interface RecordingCount {
  boundNano: Nano
  /** What it is estimated to need; for a model that is priced by the second, that is the bound. */
  probableNano(): Promise<Nano>
  evidence(told: Told): Evidence
  withoutAnswer(): Promise<Counted>
  /** As OpenAI tells it. */
  usageOf(
    counts: Counts,
  ): { type: 'duration'; seconds: number } | { type: 'tokens'; [count: string]: unknown }
}

/** What the upstream told. */
interface Told {
  transcript: Transcript | null
  usage: unknown
  cost: Decimal | null
}

export function countRecording(model: Model, prompt: string, secondCountMax: number): RecordingCount {
  return isHeardByToken(model.prices)
    ? byToken(model, prompt, secondCountMax)
    : bySecond(model, secondCountMax)
}

/** Charged by the cost that the upstream reports, else by the length that it reports, up to what is possible. */
function bySecond({ prices }: Model, secondCountMax: number): RecordingCount {
  const counted = (secondCount: number): Counted => ({
    costNano: priceTranscription(prices, secondCount),
    counts: { ...NO_COUNTS, inputTokenCount: secondCount },
  })
  const boundNano = priceTranscription(prices, secondCountMax)
  return {
    boundNano,
    probableNano: async () => boundNano,
    evidence({ transcript, cost: reportedCost }) {
      const { secondCount, isReported, excessSecondCount } = chargedSeconds(
        transcript?.durationSeconds ?? null,
        secondCountMax,
      )
      return {
        hasOutput: true,
        reportedCost,
        upstreamCount: isReported ? counted(secondCount) : null,
        isBeyondPossible: excessSecondCount > 0,
        localCount: async () => ({
          ...counted(secondCountMax),
          billedNano: counted(secondCountMax + excessSecondCount).costNano,
        }),
        generationId: null,
      }
    },
    withoutAnswer: async () => counted(secondCountMax),
    usageOf: ({ inputTokenCount }) => ({ type: 'duration', seconds: inputTokenCount }),
  }
}

/** What hosts may add to a prompt: its role, the language. */
const TOKENS_AROUND_PROMPT_MAX = 64

/** Charged by the counts that the upstream reports, up to what is possible, else by our own. */
function byToken({ id, prices }: Model, prompt: string, secondCountMax: number): RecordingCount {
  const audioInputTokenCountMax = heardTokenCountMax(secondCountMax, [id])
  const promptTokenCountMax = readByteCountMax(prompt) + TOKENS_AROUND_PROMPT_MAX
  const outputTokenCountMax = transcriptTokenCountMax(secondCountMax)
  const counted = (usage: TokenUsage): Counted => ({
    costNano: cost({ prices, usage }),
    counts: countsOf(usage),
  })
  const audioInputTokenCount = secondCountMax * LIKELY_PER_SECOND.sound
  const promptTokenCount = () => countTokens([prompt])
  const withWritten = async (outputTokenCount: number) => {
    const inputTokenCount = audioInputTokenCount + (await promptTokenCount())
    return counted({ ...NO_USAGE, inputTokenCount, audioInputTokenCount, outputTokenCount })
  }
  // A model that hears nothing may repeat the prompt.
  const probable = async () =>
    withWritten(secondCountMax * LIKELY_PER_SECOND.written + (await promptTokenCount()))
  return {
    boundNano: upperBound({
      prices,
      promptTokenCountMax,
      audioInputTokenCountMax,
      outputTokenCountMax,
      outputModalities: ['text'],
      mayCacheLong: false,
    }),
    probableNano: async () => (await probable()).costNano,
    evidence({ transcript, usage: report, cost: reportedCost }) {
      const text = transcript?.text ?? ''
      const possible = {
        ...TEXT_ALONE,
        hasOutput: text !== '',
        // Some models read only the end of a prompt.
        inputCharacterCount: 0,
        outputCharacterCount: text.length,
        inputTokenCountMax: promptTokenCountMax + audioInputTokenCountMax,
        audioInputTokenCountMax,
        outputTokenCountMax,
      }
      const told = readUpstreamCount(report, possible, counted)
      const isHeard = (told?.counts.inputTokenCount ?? 0) >= secondCountMax * SOUND_PER_SECOND_MIN
      return {
        hasOutput: true,
        reportedCost,
        upstreamCount: isHeard ? told : null,
        isBeyondPossible: isBeyondPossible(report, possible),
        localCount: async () => withWritten(await countTokens([text])),
        generationId: null,
      }
    },
    withoutAnswer: probable,
    usageOf({ inputTokenCount, outputTokenCount, otherCounts }) {
      const audio_tokens = otherCounts?.audio_input ?? 0
      return {
        type: 'tokens',
        input_tokens: inputTokenCount,
        input_token_details: { text_tokens: inputTokenCount - audio_tokens, audio_tokens },
        output_tokens: outputTokenCount,
        total_tokens: inputTokenCount + outputTokenCount,
      }
    },
  }
}
