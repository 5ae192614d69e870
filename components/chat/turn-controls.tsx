import {
  ArrowRightLeft,
  Columns2,
  Download,
  Ellipsis,
  MessageSquarePlus,
  Printer,
  RotateCcw,
  TextQuote,
  Trash,
} from 'lucide'
import { useLocale, useTranslations } from 'next-intl'
import { useState } from 'react'
import { Dialog } from '@/components/ui/dialog'
import { focusAfterRender, focusMessageBox } from '@/components/ui/focus'
import { Icon } from '@/components/ui/icon'
import { Menu } from '@/components/ui/menu'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { comparedWith } from '@/lib/local/domain/comparisons'
import { type Message, picturesOf } from '@/lib/local/domain/conversation'
import { pathTo } from '@/lib/local/domain/turns'
import { noticeStore } from '@/lib/local/notice/notice-store'
import { type ChatModel, comparableWith } from './chat-model'
import { asOneModel, LazyCompareOptions } from './compare/compared-models'
import { copyUpTo, deleteTurn, showSideBySide } from './edit-turns'
import { ModelOptions } from './models/model-options'
import { PriceWith } from './price/price-with'
import { quote, selectedIn } from './quote-selection'
import { showConversation } from './select-conversation'
import { mostAnswer, type TurnActions } from './turn-actions'
import { messageSelector } from './turn-versions'
import { loadedModels } from './use-models'
import { sumOf } from './use-next-message'

interface AnswerAgainProps {
  answer: Message & { id: string }
  actions: TurnActions
}

/** Asks for another answer to the same question, by the same model or another one; shows the price first. */
export function AnswerAgain({ answer, actions }: AnswerAgainProps) {
  const t = useTranslations('chat')
  const compare = useTranslations('compare')
  const [isChoosing, setChoosing] = useState(false)
  const [isComparing, setComparing] = useState(false)
  const { model, models } = actions
  const answerId = answer.id
  const answered = models.find(({ id }) => id === answer.model)
  const draws = answered?.draws ?? picturesOf(answer).length > 0
  return (
    <>
      <Menu
        label={t('answerAgain')}
        shortcut="answerAgain"
        icon={<Icon icon={RotateCcw} size={16} />}
        items={() => [
          {
            label: model.name,
            detail: <PriceWith model={model} price={actions.priceAgain(answerId, model)} />,
            icon: <Icon icon={RotateCcw} size={16} />,
            onChoose: () => actions.answerAgain(answerId, model),
          },
          {
            label: t('withOtherModel'),
            icon: <Icon icon={ArrowRightLeft} size={16} />,
            onChoose: () => setChoosing(true),
          },
          ...(comparableWith(draws, models).length > 1
            ? [
                {
                  label: compare('withOthers'),
                  icon: <Icon icon={Columns2} size={16} />,
                  onChoose: () => setComparing(true),
                },
              ]
            : []),
        ]}
      />
      <Dialog
        open={isComparing}
        onClose={() => setComparing(false)}
        title={compare('moreTitle')}
        look="sheet"
      >
        <LazyCompareOptions
          modelList={loadedModels(models)}
          chosenIds={[]}
          answerCount={1}
          draws={draws}
          priceOf={one => actions.priceAgain(answerId, one)}
          onDone={ids => {
            setComparing(false)
            compareWith(actions, answerId, ids)
          }}
        />
      </Dialog>
      <Dialog open={isChoosing} onClose={() => setChoosing(false)} title={t('answerAgainWith')} look="sheet">
        <ModelOptions
          modelList={loadedModels(models)}
          chosenId={model.id}
          priceOf={one => actions.priceAgain(answerId, one)}
          onChoose={id => {
            setChoosing(false)
            const chosen = models.find(one => one.id === id)
            if (chosen) actions.answerAgain(answerId, chosen)
          }}
        />
      </Dialog>
    </>
  )
}

/** Asks these models for answers side by side with an existing one. */
function compareWith(actions: TurnActions, answerId: string, modelIds: readonly string[]): void {
  const conversation = conversationStore.get(actions.conversationId)
  const models = modelIds.flatMap(id => actions.models.find(model => model.id === id) ?? [])
  const standIn = asOneModel(models)
  const priceOf = (model: ChatModel) => actions.priceAgain(answerId, model)
  if (!conversation || !standIn) return
  const before = pathTo(conversation, answerId).slice(0, -1)
  actions.ask({
    model: standIn,
    estimate: sumOf(models.map(priceOf)),
    most: sumOf(models.map(model => mostAnswer(model, conversation, before))),
    conversation,
    ask: async () =>
      (await import('./compare/ask-compared')).compareAnswer(conversation, answerId, models, priceOf),
  })
}

interface MoreActionsProps {
  messageId: string
  /** The last part of the answer, if it was continued. */
  lastId?: string
  text: string
  conversationId: string
}

/** The less frequent actions on a message. */
export function MoreActions({ messageId, lastId = messageId, text, conversationId }: MoreActionsProps) {
  const t = useTranslations('chat')
  const compare = useTranslations('compare')
  const common = useTranslations('common')
  const reading = useTranslations('chat.reading')
  const locale = useLocale()
  const save = async (ending: 'md' | 'html') => {
    const conversation = conversationStore.get(conversationId)
    if (!conversation) return
    const words = {
      locale,
      you: reading('you'),
      model: t('theModel'),
      picture: t('attachedPicture'),
      drawnPicture: t('drawnPicture'),
      document: t('document'),
    }
    try {
      await (await import('./save-conversation')).saveConversation(conversation, ending, words)
    } catch {
      noticeStore.show('error', reading('notSaved'))
    }
  }
  const canCompare = () => {
    const conversation = conversationStore.get(conversationId)
    return conversation?.messages.at(-1)?.id === messageId && comparedWith(conversation, messageId).length > 1
  }
  return (
    <Menu
      label={t('moreActions')}
      icon={<Icon icon={Ellipsis} size={16} />}
      items={() => [
        ...(canCompare()
          ? [
              {
                label: compare('sideBySide'),
                icon: <Icon icon={Columns2} size={16} />,
                onChoose: () => {
                  showSideBySide(conversationId, messageId)
                  focusAfterRender(messageSelector(messageId))
                },
              },
            ]
          : []),
        {
          label: t('goOnInNewChat'),
          icon: <Icon icon={MessageSquarePlus} size={16} />,
          onChoose: () => {
            const conversation = conversationStore.get(conversationId)
            if (conversation) showConversation(copyUpTo(conversation, lastId))
            focusMessageBox()
          },
        },
        // A picture has no words to quote.
        ...(text === ''
          ? []
          : [
              {
                label: reading('quote'),
                icon: <Icon icon={TextQuote} size={16} />,
                // The selected part of the message, or all of it.
                onChoose: () => {
                  const article = document.querySelector(messageSelector(messageId))
                  quote(conversationId, selectedIn(article) || text)
                },
              },
            ]),
        {
          label: reading('saveMarkdown'),
          icon: <Icon icon={Download} size={16} />,
          onChoose: () => void save('md'),
        },
        {
          label: reading('saveHtml'),
          icon: <Icon icon={Download} size={16} />,
          onChoose: () => void save('html'),
        },
        {
          label: reading('print'),
          icon: <Icon icon={Printer} size={16} />,
          // The menu must be off the page first.
          onChoose: () => requestAnimationFrame(() => window.print()),
        },
        {
          label: t('deleteFromHere'),
          icon: <Icon icon={Trash} size={16} />,
          onChoose: () => {
            deleteTurn(conversationId, messageId, {
              deleted: t('turnsDeleted'),
              undo: common('undo'),
              onUndone: () => focusAfterRender(messageSelector(messageId)),
            })
            focusMessageBox()
          },
        },
      ]}
    />
  )
}
