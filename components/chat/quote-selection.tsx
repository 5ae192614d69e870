import { TextQuote } from 'lucide'
import { useTranslations } from 'next-intl'
import { type RefObject, useEffect, useState } from 'react'
import { Button } from '@/components/ui/button'
import { focusMessageBox } from '@/components/ui/focus'
import { Icon } from '@/components/ui/icon'
import { cutText } from '@/lib/http/domain/cut-text'
import { draftStore } from './draft-store'
import styles from './message-list.module.css'

/** Longer text should be copied rather than quoted, since every further message would pay for it again. */
const QUOTE_LENGTH_MAX = 4_000

/** Adds text to the draft as a quotation. */
export function quote(conversationId: string, text: string): void {
  const draft = draftStore.get(conversationId)
  const words = cutText(text.trim(), QUOTE_LENGTH_MAX)
  const quotation = words
    .split(/\r?\n/)
    .map(line => `> ${line}`.trimEnd())
    .join('\n')
  const before = draft.text.trimEnd()
  draftStore.set(conversationId, { ...draft, text: `${before && `${before}\n\n`}${quotation}\n\n` })
  focusMessageBox()
}

/** The selected text, if all of it is in one message inside this element; else empty. */
export function selectedIn(root: Element | null): string {
  const selection = window.getSelection()
  if (!selection || selection.isCollapsed || !root) return ''
  const [from, to] = [selection.anchorNode, selection.focusNode].map(node =>
    (node instanceof Element ? node : node?.parentElement)?.closest('[data-message]'),
  )
  return from && from === to && root.contains(from) ? selection.toString().trim() : ''
}

interface QuoteSelectionProps {
  rootRef: RefObject<HTMLElement | null>
  conversationId: string
}

/** The gap between the selection and the button, in pixels. */
const GAP = 8

/** A button below selected text. Keyboard users find the same in the message's menu. */
export function QuoteSelection({ rootRef, conversationId }: QuoteSelectionProps) {
  const t = useTranslations('chat.reading')
  const [place, setPlace] = useState<{ top: number; left: number } | null>(null)
  useEffect(() => {
    const update = () => {
      const isQuotable = selectedIn(rootRef.current) !== ''
      const rect = isQuotable ? window.getSelection()?.getRangeAt(0).getBoundingClientRect() : null
      setPlace(rect ? { top: rect.bottom + GAP, left: Math.max(GAP, rect.left) } : null)
    }
    const hide = () => setPlace(null)
    // Hidden while the pointer is down, so that it does not get in the way of selecting.
    let isPressed = false
    const press = () => {
      isPressed = true
    }
    const release = () => {
      isPressed = false
      update()
    }
    const change = () => (isPressed ? hide() : update())
    const listening = new AbortController()
    const { signal } = listening
    document.addEventListener('pointerdown', press, { signal })
    document.addEventListener('pointerup', release, { signal })
    document.addEventListener('pointercancel', release, { signal })
    document.addEventListener('selectionchange', change, { signal })
    rootRef.current?.addEventListener('scroll', hide, { signal })
    return () => listening.abort()
  }, [rootRef])
  if (place === null) return null
  return (
    <Button
      size="small"
      variant="quiet"
      className={styles.quote}
      style={place}
      tabIndex={-1}
      // Keeps the selection while the button is pressed.
      onPointerDown={event => event.preventDefault()}
      onClick={() => {
        quote(conversationId, selectedIn(rootRef.current))
        setPlace(null)
      }}
    >
      <Icon icon={TextQuote} size={16} />
      {t('quote')}
    </Button>
  )
}
