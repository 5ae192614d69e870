import { Sparkles } from 'lucide'
import { useTranslations } from 'next-intl'
import { TOP_UP_A_DOLLAR } from '@/components/credit/top-up/return-path'
import { useBalance } from '@/components/credit/use-balance'
import { Icon } from '@/components/ui/icon'
import { Money, useMoney } from '@/components/ui/money'
import { useStore } from '@/components/ui/use-store'
import { Link } from '@/lib/i18n/navigation'
import { virtualApiKeyStore } from '@/lib/local/virtual-api-key'
import { nanoToUsdNumber } from '@/lib/money/nano'
import { type ChatModel, isFree } from './chat-model'
import styles from './empty-state.module.css'
import { newChatSteering } from './steering-store'
import { estimateAnswer } from './turn-actions'
import type { AddressState } from './use-conversation-address'

/** The section of the account page that turns the key into credit. */
const LEGACY_KEY = '/account#legacy-key'
/** The section of the account page that imports an export. */
const YOUR_DATA = '/account#your-data'

interface EmptyHeadProps {
  addressState: AddressState
  model: ChatModel | null
}

/** The head of a chat without messages. */
export function EmptyHead({ addressState, model }: EmptyHeadProps) {
  // An empty place while the conversation is looked up.
  if (addressState === 'opening') return <div />
  return addressState === 'unknown' ? <UnknownHead /> : <NewChatHead model={model} />
}

/** What the site is, and how to begin. */
function NewChatHead({ model }: { model: ChatModel | null }) {
  const t = useTranslations('chat')
  const { shown } = useBalance()
  const hasLegacyKey = useStore(virtualApiKeyStore) !== null
  const isOfFree = model !== null && isFree(model)
  return (
    <div className={styles.head}>
      <h2 className={styles.title}>{t('emptyTitle')}</h2>
      <p className={styles.lead}>{t('emptyText')}</p>
      {(shown === null || shown.amountUsd <= 0) && (
        // Rendered invisibly while the balance and the models load, so that nothing moves.
        <div className={styles.credit} data-hidden={shown === null} data-free={isOfFree}>
          <p>
            {t.rich(hasLegacyKey ? 'emptyLegacyKey' : 'emptyCredit', {
              link: text => <Link href={hasLegacyKey ? LEGACY_KEY : TOP_UP_A_DOLLAR}>{text}</Link>,
            })}
          </p>
          <p>{t('emptyFree')}</p>
        </div>
      )}
    </div>
  )
}

/** Shown at an address whose conversation is not in this browser. */
function UnknownHead() {
  const t = useTranslations('chat.unknownConversation')
  return (
    <div className={styles.head}>
      <h2 className={styles.title}>{t('title')}</h2>
      <p className={styles.lead}>{t.rich('text', { link: text => <Link href={YOUR_DATA}>{text}</Link> })}</p>
      <Link href="/" className={styles.newChat}>
        {t('newChat')}
      </Link>
    </div>
  )
}

const QUESTIONS = ['exampleExplain', 'exampleWrite', 'examplePlan'] as const
const PICTURES = ['exampleEngrave', 'examplePaint', 'exampleDesign'] as const

interface SuggestionsProps {
  models: readonly ChatModel[]
  model: ChatModel | null
  onModel: (modelId: string) => void
  onChoose: (text: string) => void
}

/** Below the message box: a free model if there is one, and examples with their approximate price. */
export function Suggestions({ models, model, onModel, onChoose }: SuggestionsProps) {
  const t = useTranslations('chat')
  const { shown } = useBalance()
  const freeModel = models.find(one => !one.draws && isFree(one))
  const offersFree = freeModel && model && !isFree(model) && shown !== null && shown.amountUsd <= 0
  return (
    <div className={styles.examples}>
      {offersFree ? (
        <button type="button" className={styles.free} onClick={() => onModel(freeModel.id)}>
          <Icon icon={Sparkles} size={16} />
          <span>{t('tryFree', { model: freeModel.name })}</span>
        </button>
      ) : (
        <p className={styles.free}>{t('examples')}</p>
      )}
      <ul>
        {(model?.draws ? PICTURES : QUESTIONS).map(example => (
          <li key={example}>
            <button type="button" className={styles.example} onClick={() => onChoose(t(example))}>
              <span>{t(example)}</span>
              <span className={styles.price}>
                {model && <SuggestionPrice model={model} text={t(example)} />}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}

function SuggestionPrice({ model, text }: { model: ChatModel; text: string }) {
  const t = useTranslations('chat')
  const { about } = useMoney()
  const steering = useStore(newChatSteering)
  if (isFree(model)) return t('free')
  const nano = estimateAnswer(model, steering, [{ role: 'user', content: text }])
  if (nano === null) return null
  return <Money text={`≈ ${about(nanoToUsdNumber(nano))}`} />
}
