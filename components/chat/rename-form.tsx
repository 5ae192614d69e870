import { useTranslations } from 'next-intl'
import { type KeyboardEvent, useState } from 'react'
import { isComposing } from '@/components/ui/is-composing'
import { TextInput } from '@/components/ui/text-input'
import { historyStore } from '@/lib/local/archive/history-store'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { noticeStore } from '@/lib/local/notice/notice-store'

/** A title is a single line. */
const TITLE_LENGTH_MAX = 120

/** Selects the old title, which is mostly replaced. Defined at module level, so that React calls the ref only once. */
function selectAll(input: HTMLInputElement | null): void {
  input?.focus()
  input?.select()
}

interface RenameFormProps {
  id: string
  title: string
  /** After a key press the focus is still in the field, and has to be returned. */
  onDone: (byKey: boolean) => void
}

export function RenameForm({ id, title, onDone }: RenameFormProps) {
  const t = useTranslations('conversations')
  const [text, setText] = useState(title)

  const save = async (byKey: boolean) => {
    const next = text.trim()
    // An archived conversation must be restored before it can be changed.
    if (next !== '' && next !== title && !conversationStore.renameConversation(id, next)) {
      try {
        await historyStore.open(id)
        conversationStore.renameConversation(id, next)
      } catch (error) {
        reportError(error)
        noticeStore.show('error', t('notOpened'))
      }
    }
    onDone(byKey)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent)) return
    if (event.key === 'Enter') void save(true)
    if (event.key === 'Escape') {
      // Escape closes only this field, not the drawer around it.
      event.preventDefault()
      event.stopPropagation()
      onDone(true)
    }
  }
  return (
    <TextInput
      aria-label={t('title')}
      dir="auto"
      value={text}
      maxLength={TITLE_LENGTH_MAX}
      ref={selectAll}
      onChange={event => setText(event.target.value)}
      onKeyDown={onKeyDown}
      onBlur={() => void save(false)}
    />
  )
}
