import { useLocale, useTranslations } from 'next-intl'
import { Money, useMoney } from '@/components/ui/money'
import { estimateTokens } from '@/lib/catalogue/domain/estimate-tokens'
import type { Message } from '@/lib/local/domain/conversation'
import { decimalFromInteger, multiply, parseDecimal } from '@/lib/money/decimal'
import { ceilToNano, formatUsd } from '@/lib/money/nano'
import { AnswerLink } from './markdown/answer-link'
import styles from './message.module.css'

interface AnswerReasoningProps {
  message: Message
  text: string
  isOpen: boolean
  /** Decimal dollars for a token that the model writes; null where its price is not known any more. */
  outputPrice: string | null
}

/** What the model thought before it spoke: there for who wants it, out of the way otherwise. */
export function AnswerReasoning({ message, text, isOpen, outputPrice }: AnswerReasoningProps) {
  const t = useTranslations('chat')
  const seconds = useSeconds()
  const money = useMoney()
  const took = message.timing?.reasoning_ms
  const cost = isOpen ? null : reasoningUsd(message, text, outputPrice)
  return (
    <details className={styles.reasoning}>
      <summary>
        {isOpen ? t('thinking') : t('reasoning')}
        {took !== undefined && <> · {seconds(took)}</>}
        {cost !== null && (
          <>
            {' '}
            · <Money text={`≈ ${money.about(cost)}`} />
          </>
        )}
      </summary>
      <p dir="auto" className={styles.reasoningText}>
        {text}
      </p>
    </details>
  )
}

/** About its part of the price, by the host's count, or ours of what is shown; never more than the whole. */
function reasoningUsd({ receipt }: Message, text: string, outputPrice: string | null): string | null {
  const price = parseDecimal(outputPrice ?? '')
  if (!receipt || !price) return null
  const count = receipt.reasoning_token_count ?? estimateTokens(text)
  const cost = formatUsd(ceilToNano(multiply(price, decimalFromInteger(count))))
  if (Number(cost) === 0 || Number(receipt.cost_usd) === 0) return null
  return Number(cost) > Number(receipt.cost_usd) ? receipt.cost_usd : cost
}

/** Where the answer was found, as its host says. Nothing of it is fetched before a click. */
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

/** What the model's host did on the way: looked something up, ran something. */
export function AnswerTools({ tool_calls: calls = [] }: Message) {
  const t = useTranslations('chat.reading')
  if (calls.length === 0) return null
  return (
    <details className={styles.sources}>
      <summary>{t('tools', { count: calls.length })}</summary>
      <ol>
        {calls.map(({ function: { name, arguments: given } }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: calls stand in the order in which they were made
          <li key={index}>
            <code>{name}</code>
            {given !== '' && (
              <pre dir="ltr" tabIndex={0}>
                {given}
              </pre>
            )}
          </li>
        ))}
      </ol>
    </details>
  )
}

/** Less is too short to measure a pace by. */
const PACE_MS_MIN = 500

/** How soon it began, and how fast it went on; nothing where that was not seen. */
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

/** A length of time in the page's language: tenths of a second where it is short. */
function useSeconds(): (ms: number) => string {
  const locale = useLocale()
  return ms =>
    new Intl.NumberFormat(locale, {
      style: 'unit',
      unit: 'second',
      unitDisplay: 'short',
      maximumFractionDigits: ms < 10_000 ? 1 : 0,
    }).format(ms / 1_000)
}
