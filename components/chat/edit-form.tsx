import { useTranslations } from 'next-intl'
import { type FormEvent, type ReactNode, useDeferredValue, useEffect, useRef, useState } from 'react'
import { Button } from '@/components/ui/button'
import { isComposing } from '@/components/ui/is-composing'
import { createExternalStore } from '@/lib/local/storage/external-store'
import { MessageBox } from './message-box'
import styles from './turns.module.css'

interface EditFormProps {
  text: string
  /** The name of the button, and what it does. */
  deed: string
  onDeed: (text: string) => void
  onCancel: () => void
  /** An empty message is one, where something is attached to it. */
  mayBeEmpty?: boolean
  /** What is said of it beside the buttons, while it is being written. */
  about?: (text: string) => ReactNode
}

/**
 * Whether somebody writes among the messages. A style that asks for it has the browser look for such a form in all
 * of them, whenever one changes.
 */
export const writingStore = createExternalStore(false)

/** Words of one's own, once more before they are sent. */
export function EditForm({ text, deed, onDeed, onCancel, mayBeEmpty = false, about }: EditFormProps) {
  const t = useTranslations('chat')
  const common = useTranslations('common')
  const [draft, setDraft] = useState(text)
  const written = useDeferredValue(draft)
  const boxRef = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    const box = boxRef.current
    box?.focus()
    box?.setSelectionRange(box.value.length, box.value.length)
    // What goes away does not say that it has lost the focus.
    return () => writingStore.set(false)
  }, [])
  const canSend = mayBeEmpty || draft.trim() !== ''
  const send = (event?: FormEvent) => {
    event?.preventDefault()
    if (canSend) onDeed(draft)
  }
  return (
    <form
      className={styles.edit}
      onSubmit={send}
      onFocus={({ currentTarget }) => writingStore.set(currentTarget.closest('[data-turns]') !== null)}
      onBlur={() => writingStore.set(false)}
      onKeyDown={event => {
        // What is pressed in a dialog that stands above it concerns that one.
        const isInDialog = event.target instanceof Element && event.target.closest('dialog') !== null
        if (event.key !== 'Escape' || isComposing(event.nativeEvent) || isInDialog) return
        event.stopPropagation()
        onCancel()
      }}
    >
      <MessageBox ref={boxRef} label={t('editMessage')} text={draft} onText={setDraft} onSend={send} />
      <div className={styles.editDeeds}>
        {about?.(written)}
        <Button variant="quiet" size="small" onClick={onCancel}>
          {common('cancel')}
        </Button>
        <Button type="submit" size="small" disabled={!canSend}>
          {deed}
        </Button>
      </div>
    </form>
  )
}
