import { useEffect, useEffectEvent } from 'react'
import { finishedAnswerStore } from '@/components/chat/finished-answer-store'
import { useStore } from '@/components/ui/use-store'
import type { Message } from '@/lib/local/domain/conversation'
import { settingsStore } from '@/lib/local/settings/settings-store'

/**
 * Starts the reading of an answer that was asked here and has just come to its end, once, if the settings
 * say so. A page that nobody has touched yet may not make a sound; nothing is bought for it either.
 */
export function useReadByItself(message: Message, start: (() => void) | null): void {
  const { autoPlayTts } = useStore(settingsStore).settings
  const finishedId = useStore(finishedAnswerStore)
  const isDue = finishedId !== null && finishedId === message.id && start !== null
  const takeNotice = useEffectEvent(() => {
    finishedAnswerStore.set(null)
    if (autoPlayTts && message.status === 'completed' && mayMakeSound()) start?.()
  })
  useEffect(() => {
    if (isDue) takeNotice()
  }, [isDue])
}

function mayMakeSound(): boolean {
  // Browsers that cannot tell are tried: a refusal leaves the reading paused.
  return navigator.userActivation?.hasBeenActive ?? true
}
