import { NextIntlClientProvider, useLocale, useMessages } from 'next-intl'
import {
  Component,
  type ReactNode,
  useCallback,
  useEffect,
  useEffectEvent,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { createPortal } from 'react-dom'
import { persistentPartsStore } from '@/components/shell/persistent-parts'
import type { Conversation } from '@/lib/local/domain/conversation'
import type { ChatModel } from './chat-model'
import styles from './message-list.module.css'
import { keepAllReadingPlaces } from './reading-places'
import { useTurnActions } from './turn-actions'
import { TurnList, type TurnListProps } from './turn-list'
import type { Question } from './use-ask'

interface ConversationsProps extends Omit<TurnListProps, 'conversation'> {
  /** Null if there are no messages. */
  conversation: Conversation | null
}

interface MessageListProps extends Omit<ConversationsProps, 'turnActions' | 'onGone'> {
  /** The model that would answer next. */
  model: ChatModel | null
  ask: (question: Question) => Promise<void>
}

/** What is mounted: the conversation that is shown, and those shown before that are being removed. */
interface Views {
  readonly id: string | null
  /** Distinguishes two visits to the same conversation. */
  readonly key: number
  readonly left: readonly { readonly key: number; readonly props: TurnListProps }[]
}

/**
 * The messages of the selected conversation. They are rendered by the document: React unmounts a page's own elements in
 * one task when the page is left, which takes long for a long chat.
 */
export function MessageList({ model, ask, ...shown }: MessageListProps) {
  const turnActions = useTurnActions(shown.conversation?.id ?? null, model, shown.models, ask)
  const intl = { locale: useLocale(), messages: useMessages() }
  const id = useId()
  const [host] = useState(createHost)
  const [failure, setFailure] = useState<{ readonly error: unknown } | null>(null)
  if (failure) throw failure.error
  const erase = () => drawOutside(id, null, host)
  const draw = useEffectEvent((isLeft: boolean) => {
    const onFailure = (error: unknown) => {
      erase()
      setFailure({ error })
    }
    const list = (
      <ListBoundary onFailure={onFailure}>
        <NextIntlClientProvider {...intl}>
          <Conversations
            {...shown}
            turnActions={turnActions}
            {...(isLeft && { conversation: null, onGone: erase })}
          />
        </NextIntlClientProvider>
      </ListBoundary>
    )
    drawOutside(id, list, host)
  })
  useLayoutEffect(() => draw(false))
  useLayoutEffect(
    () => () => {
      keepAllReadingPlaces()
      draw(true)
    },
    [],
  )
  const hold = useCallback((place: HTMLElement | null) => place?.append(host), [host])
  return <div ref={hold} className={styles.host} />
}

/** Renders the list in the document; null removes it. */
function drawOutside(id: string, list: ReactNode, host: HTMLElement): void {
  const parts = new Map(persistentPartsStore.getSnapshot())
  if (list === null) parts.delete(id)
  else parts.set(id, createPortal(list, host, id))
  persistentPartsStore.set(parts)
}

function createHost(): HTMLElement {
  const host = document.createElement('div')
  host.className = styles.host ?? ''
  return host
}

interface ListBoundaryProps {
  onFailure: (error: unknown) => void
  children: ReactNode
}

/** Confines an error in the list to its page, since the list is rendered by the document. */
class ListBoundary extends Component<ListBoundaryProps, { hasFailed: boolean }> {
  static getDerivedStateFromError = () => ({ hasFailed: true })
  override state = { hasFailed: false }
  override componentDidCatch(error: unknown) {
    this.props.onFailure(error)
  }
  override render() {
    return !this.state.hasFailed && this.props.children
  }
}

/** Shows the selected conversation. The previous one is hidden at once, and removed step by step. */
function Conversations({ conversation, onGone, ...rest }: ConversationsProps) {
  const id = conversation?.id ?? null
  const [views, setViews] = useState<Views>({ id, key: 0, left: [] })
  const last = useRef<TurnListProps | null>(null)
  if (id !== views.id) {
    const { key } = views
    const left = views.left.filter(({ props }) => props.conversation.id !== id)
    const onLeft = () => setViews(now => ({ ...now, left: now.left.filter(view => view.key !== key) }))
    if (last.current) left.push({ key, props: { ...last.current, onGone: onLeft } })
    setViews({ id, key: key + 1, left })
  }
  useLayoutEffect(() => {
    last.current = conversation && { conversation, ...rest }
  })
  const isEmpty = views.left.length === 0
  useEffect(() => {
    if (isEmpty) onGone?.()
  }, [isEmpty, onGone])
  return [
    ...views.left.map(({ key, props }) => (
      <div key={key} className={styles.left} aria-hidden inert>
        <TurnList {...props} />
      </div>
    )),
    conversation && (
      <div key={views.key} className={styles.frame}>
        <TurnList conversation={conversation} {...rest} />
      </div>
    ),
  ]
}
