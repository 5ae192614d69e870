import { useTranslations } from 'next-intl'
import { type ClipboardEvent, type KeyboardEvent, type RefObject, useEffect, useLayoutEffect } from 'react'
import { hasCoarsePointer } from '@/components/ui/focus'
import { isComposing } from '@/components/ui/is-composing'
import { fixedStore, useStore } from '@/components/ui/use-store'
import { settingsStore } from '@/lib/local/settings/settings-store'
import styles from './composer.module.css'

interface MessageBoxProps {
  ref: RefObject<HTMLTextAreaElement | null>
  id?: string
  /** Its accessible name; that of the composer is "Message". */
  label?: string
  text: string
  placeholder?: string
  onText: (text: string) => void
  onSend: () => void
  onFiles?: (files: readonly File[]) => void
}

const coarsePointerStore = fixedStore(hasCoarsePointer)

export function MessageBox({ ref, id, label, text, placeholder, onText, onSend, onFiles }: MessageBoxProps) {
  const t = useTranslations('chat')
  const isCoarse = useStore(coarsePointerStore)
  const enterToSend = useStore(settingsStore).settings.enterToSend && !isCoarse

  useLayoutEffect(() => {
    const fitHeight = () => {
      const box = ref.current
      if (!box) return
      // Reset to its natural height first, since scrollHeight is never less than the current height.
      box.style.height = 'auto'
      if (text !== '') box.style.height = `${box.scrollHeight}px`
    }
    fitHeight()
    // On a phone that is turned, the same text has other lines.
    window.addEventListener('resize', fitHeight)
    return () => window.removeEventListener('resize', fitHeight)
  }, [ref, text])

  useEffect(() => {
    const box = ref.current
    if (!box || hasCoarsePointer() || document.activeElement === box) return
    // A draft that was there before the box is continued at its end; browsers would put the caret at its start.
    box.setSelectionRange(box.value.length, box.value.length)
  }, [ref])

  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key !== 'Enter' || isComposing(event.nativeEvent) || event.shiftKey) return
    if (!enterToSend && !event.ctrlKey && !event.metaKey) return
    event.preventDefault()
    onSend()
  }
  const onPaste = (event: ClipboardEvent) => {
    const files = [...event.clipboardData.files]
    if (files.length === 0 || !onFiles || isWords(event.clipboardData)) return
    event.preventDefault()
    onFiles(files)
  }

  return (
    <textarea
      ref={ref}
      id={id}
      dir="auto"
      className={styles.text}
      aria-label={label ?? t('message')}
      placeholder={placeholder}
      rows={1}
      value={text}
      enterKeyHint={enterToSend ? 'send' : 'enter'}
      onChange={event => onText(event.target.value)}
      onKeyDown={onKeyDown}
      onPaste={onPaste}
      // From now on the caret is where the person has put it (components/speech/dictate.ts).
      onFocus={event => (event.currentTarget.dataset.touched = '')}
    />
  )
}

/** Spreadsheets and word processors add a picture of copied text to the clipboard. */
function isWords(clipboard: DataTransfer): boolean {
  return clipboard.getData('text/html') !== '' && clipboard.getData('text/plain').trim() !== ''
}
