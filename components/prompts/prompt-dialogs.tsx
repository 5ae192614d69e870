import { useTranslations } from 'next-intl'
import { useEffect } from 'react'
import { lazyPart } from '@/components/ui/lazy-part'
import { whileLoading } from '@/components/ui/loading-dialog'
import { useStore } from '@/components/ui/use-store'
import type { ChatPromptsProps } from './chat-prompts'
import { promptDialogStore } from './prompt-dialog-store'

/** Loaded when one is opened, since a first visitor does not need them. */
const ChatPrompts = lazyPart(async () => (await import('./chat-prompts')).ChatPrompts)

export function PromptDialogs(props: Omit<ChatPromptsProps, 'dialog'>) {
  const t = useTranslations('prompts')
  const dialog = useStore(promptDialogStore)
  const conversationId = props.conversation?.id
  const close = () => promptDialogStore.set('closed')
  // Going back in the browser leads to another chat, in which no dialog was opened.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the dialog closes with its chat
  useEffect(() => close, [conversationId])
  if (dialog === 'closed') return null
  const title = t(dialog === 'chat' ? 'chat' : 'library')
  return <ChatPrompts {...props} dialog={dialog} {...whileLoading(title, close)} />
}
