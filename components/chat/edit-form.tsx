import { useTranslations } from 'next-intl'
import { type FormEvent, type ReactNode, useDeferredValue, useEffect, useRef, useState } from 'react'
import { Button } from '@/components/ui/button'
import { isComposing } from '@/components/ui/is-composing'
import { createExternalStore } from '@/lib/local/storage/external-store'
import { draftStore, EMPTY_DRAFT } from './draft-store'
import { MessageBox } from './message-box'
import styles from './turns.module.css'

interface EditFormProps {
  /** Of what is edited. */
  id: string
  text: string
  /** The label of the submit button. */
  submitLabel: string
  onSubmit: (text: string) => void
  onCancel: () => void
  /** Allows an empty text if the message has attachments. */
  mayBeEmpty?: boolean
  /** Rendered beside the buttons for the current text, such as its price. */
  about?: (text: string) => ReactNode
}

/**
 * Whether an edit form is open among the messages. A store, since a `:has()` selector would make the browser search all
 * messages whenever one changes.
 */
export const writingStore = createExternalStore(false)

/**
 * A form for editing one's own text before it is sent again. What was written stays as a draft if Escape, another chat,
 * another tab's answer or a reload closes it: none of these means that it is to be discarded.
 */
export function EditForm({
  id,
  text,
  submitLabel,
  onSubmit,
  onCancel,
  mayBeEmpty = false,
  about,
}: EditFormProps) {
  const t = useTranslations('chat')
  const common = useTranslations('common')
  const [draft, setDraft] = useState(() => draftStore.get(id).text || text)
  const written = useDeferredValue(draft)
  const boxRef = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    const box = boxRef.current
    box?.focus()
    box?.setSelectionRange(box.value.length, box.value.length)
    // No blur event fires for an element that is removed.
    return () => writingStore.set(false)
  }, [])
  const keep = (unsent: string) => draftStore.set(id, { ...EMPTY_DRAFT, text: unsent === text ? '' : unsent })
  const write = (changed: string) => {
    setDraft(changed)
    keep(changed)
  }
  const canSend = mayBeEmpty || draft.trim() !== ''
  const send = (event?: FormEvent) => {
    event?.preventDefault()
    if (!canSend) return
    keep('')
    onSubmit(draft)
  }
  return (
    <form
      className={styles.edit}
      onSubmit={send}
      onFocus={({ currentTarget }) => writingStore.set(currentTarget.closest('[data-turns]') !== null)}
      onBlur={() => writingStore.set(false)}
      onKeyDown={event => {
        // A key press in a dialog above the form is not for the form.
        const isInDialog = event.target instanceof Element && event.target.closest('dialog') !== null
        if (event.key !== 'Escape' || isComposing(event.nativeEvent) || isInDialog) return
        event.stopPropagation()
        // Sent already, if its price was declined.
        keep(draft)
        onCancel()
      }}
    >
      <MessageBox ref={boxRef} label={t('editMessage')} text={draft} onText={write} onSend={send} />
      <div className={styles.editDeeds}>
        {about?.(written)}
        <Button
          variant="quiet"
          size="small"
          onClick={() => {
            keep('')
            onCancel()
          }}
        >
          {common('cancel')}
        </Button>
        <Button type="submit" size="small" disabled={!canSend}>
          {submitLabel}
        </Button>
      </div>
    </form>
  )
}
