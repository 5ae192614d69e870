import { useLocale, useTranslations } from 'next-intl'
import { type ReactNode, useCallback } from 'react'
import { Button } from '@/components/ui/button'
import { Status } from '@/components/ui/status'
import { useResolved } from '@/components/ui/use-resolved'
import { type Context, fitsWindow } from '@/lib/exchange/client/context-window'
import { estimateMessage } from '@/lib/exchange/client/estimate-message'
import { countMessageTokens } from '@/lib/exchange/client/message-tokens'
import { NOTHING_UNSENT, unsentParts } from '@/lib/exchange/client/web-parts'
import type { ChatModel } from './chat-model'
import styles from './composer.module.css'

interface UnsentNoticeProps {
  /** What is sent along; null for an image model, which receives the text of one message only. */
  context: Context | null
  hasAttachments: boolean
  model: ChatModel
  models: readonly ChatModel[]
  onModel: (modelId: string) => void
}

/** Says before sending what this model will not receive, and which model would. */
export function UnsentNotice({ context, hasAttachments, model, models, onModel }: UnsentNoticeProps) {
  const t = useTranslations('chat')
  if (context === null) return <Line>{t(hasAttachments ? 'wordsOnly' : 'drawsFromMessage')}</Line>
  return <UnsentParts context={context} model={model} models={models} onModel={onModel} />
}

const SHOWN_COUNT_MAX = 5

function UnsentParts({
  context,
  model,
  models,
  onModel,
}: Omit<UnsentNoticeProps, 'hasAttachments'> & { context: Context }) {
  const t = useTranslations('chat')
  const locale = useLocale()
  const { messages } = context
  const { pictureCount, names } = useResolved(
    useCallback(() => unsentParts(messages, model), [messages, model]),
    NOTHING_UNSENT,
  )
  const question = messages.at(-1)
  const isTooLong = question !== undefined && !fitsWindow(question, model.windowTokens)
  if (pictureCount === 0 && names.length === 0 && !isTooLong) return null
  const round = new Intl.NumberFormat(locale, { maximumSignificantDigits: 2 })
  const shown = names.length > SHOWN_COUNT_MAX ? [...names.slice(0, SHOWN_COUNT_MAX), '…'] : names
  const better = pictureCount > 0 || isTooLong ? findAble(models, context) : null
  return (
    <Line>
      {isTooLong && (
        <span>
          {t('tooLongForModel', {
            model: model.name,
            count: round.format(countMessageTokens(question)),
            window: round.format(model.windowTokens ?? 0),
          })}
        </span>
      )}
      {pictureCount > 0 && <span>{t('unsentPictures', { model: model.name, count: pictureCount })}</span>}
      {shown.length > 0 && (
        <span>
          {t('unsentParts', {
            model: model.name,
            names: new Intl.ListFormat(locale, { type: 'unit' }).format(shown),
          })}
        </span>
      )}
      {better && (
        <Button variant="quiet" size="small" onClick={() => onModel(better.id)}>
          {t('chooseNamed', { model: better.name })}
        </Button>
      )}
    </Line>
  )
}

function Line({ children }: { children: ReactNode }) {
  return <Status className={styles.unsent}>{children}</Status>
}

/** The cheapest model for this message that can receive all of it; null if there is none. */
function findAble(models: readonly ChatModel[], { messages }: Context): ChatModel | null {
  const question = messages.at(-1)
  const parts = messages.flatMap(({ role, content }) =>
    role === 'user' && typeof content !== 'string' ? content : [],
  )
  const hasPictures = parts.some(({ type }) => type === 'image_url')
  const able = models.filter(
    ({ draws, takesPictures, windowTokens }) =>
      !draws && (takesPictures || !hasPictures) && (!question || fitsWindow(question, windowTokens)),
  )
  const priced = able.flatMap(model => {
    const cost = estimateMessage(model, messages)
    return cost === null ? [] : [{ model, cost }]
  })
  return priced.sort((left, right) => Number(left.cost - right.cost))[0]?.model ?? null
}
