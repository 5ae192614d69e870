import { Combine, RotateCcw, Square } from 'lucide'
import { useLocale, useTranslations } from 'next-intl'
import { type ComponentProps, useId, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { focusAfterRender } from '@/components/ui/focus'
import { Icon } from '@/components/ui/icon'
import { IconButton } from '@/components/ui/icon-button'
import { LiveRegion } from '@/components/ui/live-region'
import { Money, useMoney } from '@/components/ui/money'
import text from '@/components/ui/text.module.css'
import { fitsWindow } from '@/lib/exchange/client/context-window'
import { askToMerge } from '@/lib/exchange/client/request-body'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { answerToContinueFrom, isAnswered } from '@/lib/local/domain/comparisons'
import { type Conversation, type Message, messageText } from '@/lib/local/domain/conversation'
import { pathTo } from '@/lib/local/domain/turns'
import { formatUsd, parseNano } from '@/lib/money/nano'
import { AssistantMessage } from '../assistant-message'
import type { ChatModel } from '../chat-model'
import { ModelOptions } from '../models/model-options'
import { pageExchanges } from '../page-exchanges'
import { estimateAnswer, mostAnswer, type TurnActions } from '../turn-actions'
import { messageSelector } from '../turn-versions'
import { loadedModels } from '../use-models'
import { askComparedAgain, keepAnswer, mergeAnswers } from './ask-compared'
import styles from './compare.module.css'

interface ComparisonProps {
  conversation: Conversation
  /** In the order in which they were requested. */
  answers: readonly Message[]
  models: readonly ChatModel[]
  /** Null while an answer is in progress. */
  actions: TurnActions | null
}

const isRunning = ({ status }: Message) => status === 'streaming'

/** Several answers to one question, side by side until one is kept. */
export function Comparison({ conversation, answers, models, actions }: ComparisonProps) {
  const t = useTranslations('compare')
  const nameOf = ({ model }: Message) => models.find(({ id }) => id === model)?.name ?? model ?? ''
  return (
    <div
      className={styles.comparison}
      role="group"
      aria-label={t('group', { count: answers.length })}
      data-stays-in-view
    >
      <div className={styles.columns} data-count={answers.length}>
        {answers.map((answer, index) => (
          <Column
            key={answer.id}
            answer={answer}
            place={`${index + 1}/${answers.length}`}
            modelName={nameOf(answer)}
            conversationId={conversation.id}
            actions={actions}
          />
        ))}
      </div>
      <Foot conversation={conversation} answers={answers} nameOf={nameOf} actions={actions} />
      <ComparisonAnnouncer answers={answers} nameOf={nameOf} />
    </div>
  )
}

interface ColumnProps {
  answer: Message
  /** Tells of the others where they stand below each other: `1/3`. */
  place: string
  modelName: string
  conversationId: string
  actions: TurnActions | null
}

function Column({ answer, place, modelName, conversationId, actions }: ColumnProps) {
  const t = useTranslations('compare')
  const nameId = useId()
  const { id = '' } = answer
  return (
    <div className={styles.column} role="group" aria-labelledby={nameId}>
      <div className={styles.head}>
        <span className={styles.place} aria-hidden="true">
          {place}
        </span>
        <h3 id={nameId} className={styles.name}>
          {modelName}
        </h3>
        {isRunning(answer) && (
          <IconButton
            size="small"
            label={t('stopOne', { model: modelName })}
            icon={<Icon icon={Square} size={14} fill="currentColor" />}
            onClick={() => {
              pageExchanges.stop(id)
              // The stop button disappears; the answer so far stays.
              focusAfterRender(messageSelector(id))
            }}
          />
        )}
        {(answer.status === 'failed' || (!isRunning(answer) && !isAnswered(answer))) && actions && (
          <AskAgain answer={answer} actions={actions} />
        )}
        <Button
          variant="quiet"
          size="small"
          aria-describedby={nameId}
          onClick={() => {
            keepAnswer(conversationId, id)
            focusAfterRender(messageSelector(id))
          }}
        >
          {t('keep')}
        </Button>
      </div>
      <AssistantMessage
        message={answer}
        // Once it has ended, the name above it is enough.
        modelName={isRunning(answer) ? modelName : null}
        isLast={false}
        versions={null}
        actions={null}
      />
    </div>
  )
}

/** Asks the same model again for an answer that failed or broke off. */
function AskAgain({ answer, actions }: { answer: Message; actions: TurnActions }) {
  const common = useTranslations('common')
  const model = actions.models.find(({ id }) => id === answer.model)
  if (!model || answer.id === undefined) return null
  const { id } = answer
  const ask = () => {
    const conversation = conversationStore.get(actions.conversationId)
    if (!conversation) return
    actions.ask({
      model,
      estimate: actions.priceAgain(id, model),
      most: mostAnswer(model, conversation, pathTo(conversation, id).slice(0, -1)),
      conversation,
      ask: () => askComparedAgain(conversation, id, model),
    })
  }
  return (
    <IconButton
      size="small"
      label={common('retry')}
      icon={<Icon icon={RotateCcw} size={16} />}
      onClick={ask}
    />
  )
}

interface FootProps {
  conversation: Conversation
  answers: readonly Message[]
  nameOf: (answer: Message) => string
  actions: TurnActions | null
}

/** Below all answers: their total cost, how to go on, and a button that combines them into one. */
function Foot({ conversation, answers, nameOf, actions }: FootProps) {
  const t = useTranslations('compare')
  const sum = useSum(answers)
  const next = answerToContinueFrom(conversation)
  const running = answers.some(isRunning)
  const written = answers.filter(answer => messageText(answer) !== '')
  return (
    <footer className={styles.foot}>
      <p className={styles.hint}>
        {running
          ? t('keepStops')
          : next && t.rich('goesOn', { model: nameOf(next), b: chunks => <strong>{chunks}</strong> })}
      </p>
      {!running && actions && written.length > 1 && <Merge answers={written} actions={actions} />}
      {sum && <Money className={text.note} {...sum} />}
    </footer>
  )
}

/** The total cost; null if there is only one price, or one is still to come: a stopped answer's may be late. */
function useSum(answers: readonly Message[]): Pick<ComponentProps<typeof Money>, 'text' | 'exact'> | null {
  const t = useTranslations('compare')
  const money = useMoney()
  const costs = answers.flatMap(({ receipt }) => (receipt ? (parseNano(receipt.cost_usd) ?? []) : []))
  const isOpen = answers.some(answer => isRunning(answer) || (answer.status === 'stopped' && !answer.receipt))
  if (isOpen || costs.length < 2) return null
  const sum = formatUsd(costs.reduce((all, cost) => all + cost, 0n))
  return { text: t('cost', { price: money.about(sum) }), exact: money.exact(sum) }
}

/** Combines the answers into one, by a model that the person chooses by its price. */
function Merge({ answers, actions }: { answers: readonly Message[]; actions: TurnActions }) {
  const t = useTranslations('compare')
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button variant="quiet" size="small" onClick={() => setOpen(true)}>
        <Icon icon={Combine} size={16} />
        {t('merge')}
      </Button>
      <Dialog open={isOpen} onClose={() => setOpen(false)} title={t('mergeTitle')} look="sheet">
        <MergeOptions answers={answers} actions={actions} onDone={() => setOpen(false)} />
      </Dialog>
    </>
  )
}

interface MergeOptionsProps {
  answers: readonly Message[]
  actions: TurnActions
  onDone: () => void
}

function MergeOptions({ answers, actions, onDone }: MergeOptionsProps) {
  const t = useTranslations('compare')
  const conversation = conversationStore.get(actions.conversationId)
  const path = conversation ? pathTo(conversation, answers[0]?.id ?? '').slice(0, -1) : []
  const question = path.at(-1)
  if (!conversation || !question) return null
  const mergeQuestion = askToMerge(question, answers)
  const models = actions.models.filter(
    ({ draws, windowTokens }) => !draws && fitsWindow(mergeQuestion, windowTokens),
  )
  const priceOf = (model: ChatModel) =>
    estimateAnswer(model, conversation, [...path.slice(0, -1), mergeQuestion])
  return (
    <>
      <p className={styles.hint}>{t('mergeHint')}</p>
      <ModelOptions
        modelList={loadedModels(models)}
        chosenId={actions.model.id}
        priceOf={priceOf}
        onChoose={id => {
          onDone()
          const model = models.find(one => one.id === id)
          if (!model) return
          actions.ask({
            model,
            estimate: priceOf(model),
            most: mostAnswer(model, conversation, [...path.slice(0, -1), mergeQuestion]),
            conversation,
            ask: () => mergeAnswers(conversation, answers, model),
          })
        }}
      />
    </>
  )
}

/**
 * Announces two things to screen readers: how many models were asked; and that all have answered, with the total price.
 */
function ComparisonAnnouncer({ answers, nameOf }: Pick<FootProps, 'answers' | 'nameOf'>) {
  const t = useTranslations('compare')
  const locale = useLocale()
  const [announced, setAnnounced] = useState({ count: 0, isRunning: false })
  const sum = useSum(answers)
  const runningCount = answers.filter(isRunning).length
  // Answers that had ended before the conversation was opened are not announced.
  if (runningCount > 0 !== announced.isRunning)
    setAnnounced(({ count }) => ({ count: runningCount || count, isRunning: runningCount > 0 }))
  // A failed answer announces its own error.
  const names = answers.filter(one => one.status !== 'failed' && isAnswered(one)).map(nameOf)
  const ended =
    announced.count > 0 &&
    names.length > 0 &&
    t('ended', { models: new Intl.ListFormat(locale, { type: 'unit' }).format(names) })
  return (
    <>
      <LiveRegion>{announced.isRunning ? t('begun', { count: announced.count }) : ended}</LiveRegion>
      {/* In a region of its own: the price of a stopped answer is known later, and nothing should be read twice. */}
      <LiveRegion>{announced.count > 0 && sum?.text}</LiveRegion>
    </>
  )
}
