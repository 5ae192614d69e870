import { useTranslations } from 'next-intl'
import type { ChatModel } from '@/components/chat/chat-model'
import type { Draft } from '@/components/chat/draft-store'
import { steer, useSteering } from '@/components/chat/steering-store'
import { focusMessageBox } from '@/components/ui/focus'
import type { Conversation } from '@/lib/local/domain/conversation'
import { type Steering, SYSTEM_PROMPT_LENGTH_MAX, steeringOf } from '@/lib/local/domain/steering'
import { noticeStore } from '@/lib/local/notice/notice-store'
import type { Prompt } from '@/lib/local/prompts/prompt'
import { ChatSteering } from './chat-steering'
import { type OpenPromptDialog, promptDialogStore } from './prompt-dialog-store'
import { PromptLibrary } from './prompt-library'
import type { PromptUse } from './prompt-list'

export interface ChatPromptsProps {
  dialog: OpenPromptDialog
  /** Null for a new chat. */
  conversation: Conversation | null
  model: ChatModel | null
  models: readonly ChatModel[]
  draft: Draft
  onDraft: (draft: Draft) => void
  onModel: (modelId: string) => void
  onStart: (steering: Steering, modelId: string | null) => void
}

/** The dialogs for a chat's instructions, and for the prompts that go into a message or begin a chat. */
export function ChatPrompts(props: ChatPromptsProps) {
  const { dialog, conversation, model, models, draft, onDraft, onModel, onStart } = props
  const t = useTranslations('prompts')
  const steering = useSteering(conversation)
  const conversationId = conversation?.id ?? null
  const close = () => promptDialogStore.set('closed')

  const use = (prompt: Prompt, text: string, purpose: PromptUse) => {
    close()
    if (purpose === 'message') {
      const before = draft.text.trim() === '' ? '' : `${draft.text.trimEnd()}\n\n`
      onDraft({ ...draft, text: `${before}${text}` })
      focusMessageBox()
      return
    }
    const offered = models.find(({ id }) => id === prompt.model)
    if (prompt.model !== undefined && models.length > 0 && !offered) {
      noticeStore.show('warning', t('modelMissingNotice', { model: prompt.model }))
    }
    const next = { ...steeringOf(prompt), system_prompt: text.slice(0, SYSTEM_PROMPT_LENGTH_MAX) }
    if (purpose === 'start') return onStart(next, offered?.id ?? null)
    steer(conversationId, next)
    if (offered) onModel(offered.id)
    // Show the chat's new instructions, so that they can be read and edited.
    promptDialogStore.set('chat')
  }

  if (dialog === 'chat') {
    return (
      <ChatSteering
        key={conversationId}
        conversationId={conversationId}
        steering={steering}
        model={model}
        onClose={close}
      />
    )
  }
  return <PromptLibrary opened={dialog} models={models} onUse={use} onClose={close} />
}
