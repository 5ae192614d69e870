import { useTranslations } from 'next-intl'
import { useEffect, useState } from 'react'
import { useStore } from '@/components/ui/use-store'
import { noticeStore } from '@/lib/local/notice/notice-store'
import type { ChatPrompts, ChatPromptsProps } from './chat-prompts'
import { promptDialogStore } from './prompt-dialog-store'

/** Loaded when one is opened, since a first visitor does not need them. */
export function PromptDialogs(props: Omit<ChatPromptsProps, 'dialog'>) {
  const t = useTranslations('errors')
  const dialog = useStore(promptDialogStore)
  const [Dialogs, setDialogs] = useState<typeof ChatPrompts | null>(null)
  const conversationId = props.conversation?.id
  // Going back in the browser leads to another chat, in which no dialog was opened.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the dialog closes with its chat
  useEffect(() => () => promptDialogStore.set('closed'), [conversationId])
  const isNeeded = dialog !== 'closed' && Dialogs === null
  useEffect(() => {
    if (!isNeeded) return
    import('./chat-prompts').then(
      loaded => setDialogs(() => loaded.ChatPrompts),
      () => {
        promptDialogStore.set('closed')
        noticeStore.show('error', t('network'))
      },
    )
  }, [isNeeded, t])
  return dialog === 'closed' || Dialogs === null ? null : <Dialogs {...props} dialog={dialog} />
}
