import 'server-only'
import { formatUsd, nanoToUsdNumber } from '@/lib/money/nano'
import type { Transcript } from '@/lib/speech/domain/transcript'
import type { Settlement } from '../../engine/kind'
import type { TranscriptionFields } from './contract'

/** A transcript in the shape that was asked for, with what was charged for it. */
export function writeTranscript(input: {
  transcript: Transcript
  settlement: Settlement
  format: TranscriptionFields['response_format']
  secondCount: number
}): { contentType: string; body: Buffer; headers: Record<string, string> } {
  const { transcript, settlement, format } = input
  const { chargedNano, balanceNano } = settlement
  const headers = { 'x-cost-usd': formatUsd(chargedNano) }
  if (format === 'text') {
    return { contentType: 'text/plain; charset=utf-8', body: Buffer.from(transcript.text), headers }
  }
  const usage = {
    type: 'duration',
    seconds: input.secondCount,
    cost: nanoToUsdNumber(chargedNano),
    ...(balanceNano === null ? {} : { balance_usd: nanoToUsdNumber(balanceNano) }),
  }
  const { text, language, durationSeconds, more } = transcript
  const verbose = {
    task: 'transcribe',
    language: language ?? '',
    duration: durationSeconds ?? input.secondCount,
    ...more,
  }
  const body = { ...(format === 'verbose_json' ? verbose : {}), text, usage }
  return { contentType: 'application/json', body: Buffer.from(JSON.stringify(body)), headers }
}
