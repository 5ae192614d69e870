import { useLocale, useTranslations } from 'next-intl'
import { Money, useMoney } from '@/components/ui/money'
import { estimateTokens } from '@/lib/catalogue/domain/estimate-tokens'
import type { Message } from '@/lib/local/domain/conversation'
import { decimalFromInteger, multiply, parseDecimal } from '@/lib/money/decimal'
import { ceilToNano, formatUsd } from '@/lib/money/nano'
import { AnswerLink } from './markdown/answer-link'
import styles from './message.module.css'
import { useLanguageOf } from './use-language-of'

interface AnswerReasoningProps {
  message: Message
  text: string
  isOpen: boolean
  /** Decimal dollars per output token; null if the price is no longer known. */
  outputPrice: string | null
}

/** The model's reasoning, folded unless it is opened. */
export function AnswerReasoning({ message, text, isOpen, outputPrice }: AnswerReasoningProps) {
  const t = useTranslations('chat')
  const seconds = useSeconds()
  const money = useMoney()
  const took = message.timing?.reasoning_ms
  const cost = isOpen ? null : reasoningUsd(message, text, outputPrice)
  const language = useLanguageOf(text)
  return (
    <details className={styles.reasoning}>
      <summary data-opens-to-read>
        {isOpen ? t('thinking') : t('reasoning')}
        {took !== undefined && <> · {seconds(took)}</>}
        {cost !== null && (
          <>
            {' '}
            · <Money text={`≈ ${money.about(cost)}`} />
          </>
        )}
      </summary>
      {/* It scrolls, so it must be reachable by keyboard. */}
      <p dir="auto" lang={language} className={styles.reasoningText} tabIndex={0}>
        {text}
      </p>
    </details>
  )
}

/**
 * About what the reasoning cost, by the host's token count or our estimate of the text shown, and at most the whole
 * price; null if it cost nothing or is unknown.
 */
function reasoningUsd({ receipt }: Message, text: string, outputPrice: string | null): string | null {
  const price = parseDecimal(outputPrice ?? '')
  if (!receipt || !price) return null
  const count = receipt.reasoning_token_count ?? estimateTokens(text)
  const cost = formatUsd(ceilToNano(multiply(price, decimalFromInteger(count))))
  if (Number(cost) === 0 || Number(receipt.cost_usd) === 0) return null
  return Number(cost) > Number(receipt.cost_usd) ? receipt.cost_usd : cost
}

/** The answer's sources as its host reports them. Nothing is fetched from them before a click. */
export function AnswerSources({ annotations = [] }: Message) {
  const t = useTranslations('chat.reading')
  if (annotations.length === 0) return null
  return (
    <details className={styles.sources}>
      <summary>{t('sources', { count: annotations.length })}</summary>
      <ol>
        {annotations.map(({ url_citation: { url, title = url } }) => (
          <li key={url} dir="auto">
            <AnswerLink href={url} text={title}>
              {title}
            </AnswerLink>
          </li>
        ))}
      </ol>
    </details>
  )
}

/** The tool calls that the model's host made on the way. */
export function AnswerTools({ tool_calls: calls = [] }: Message) {
  const t = useTranslations('chat.reading')
  if (calls.length === 0) return null
  return (
    <details className={styles.sources}>
      <summary data-opens-to-read>{t('tools', { count: calls.length })}</summary>
      <ol>
        {calls.map(({ function: { name, arguments: input } }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the order of the calls never changes
          <li key={index}>
            <code>{name}</code>
            {input !== '' && (
              <pre dir="ltr" tabIndex={0}>
                {input}
              </pre>
            )}
          </li>
        ))}
      </ol>
    </details>
  )
}

/** A shorter time says nothing about the pace. */
const PACE_MS_MIN = 500

/** How soon the answer began and how fast it was written; nothing if that was not measured. */
export function AnswerPace({ timing, receipt }: Message) {
  const t = useTranslations('chat.reading')
  const seconds = useSeconds()
  if (!timing) return null
  const writingMs = timing.total_ms - timing.first_token_ms
  const count = receipt?.output_token_count ?? 0
  const first = seconds(timing.first_token_ms)
  if (count === 0 || writingMs < PACE_MS_MIN) return t('firstWord', { first })
  return t('pace', { first, rate: Math.round((count * 1_000) / writingMs) })
}

/** Formats a duration in the page's language, with tenths of a second if it is short. */
function useSeconds(): (ms: number) => string {
  const locale = useLocale()
  return ms =>
    new Intl.NumberFormat(locale, {
      style: 'unit',
      unit: 'second',
      unitDisplay: 'long',
      maximumFractionDigits: ms < 10_000 ? 1 : 0,
    }).format(ms / 1_000)
}
