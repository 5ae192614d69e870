import { BookText, SlidersHorizontal } from 'lucide'
import { useTranslations } from 'next-intl'
import { useSteering } from '@/components/chat/steering-store'
import { Icon } from '@/components/ui/icon'
import { IconButton } from '@/components/ui/icon-button'
import type { Conversation } from '@/lib/local/domain/conversation'
import { steeringOf } from '@/lib/local/domain/steering'
import styles from './prompt-buttons.module.css'
import { promptDialogStore } from './prompt-dialog-store'

/** The buttons for the chat's instructions and for the prompt library. */
export function PromptButtons({ conversation }: { conversation: Conversation | null }) {
  const t = useTranslations('prompts')
  const isSteered = Object.values(steeringOf(useSteering(conversation))).some(value => value !== undefined)
  return (
    <>
      <IconButton
        size="small"
        label={t('library')}
        icon={<Icon icon={BookText} size={18} />}
        aria-haspopup="dialog"
        className={styles.promptLibrary}
        onClick={() => promptDialogStore.set('prompts')}
      />
      <IconButton
        size="small"
        label={isSteered ? t('chatSet') : t('chat')}
        icon={<Icon icon={SlidersHorizontal} size={18} />}
        aria-haspopup="dialog"
        className={isSteered ? styles.set : undefined}
        onClick={() => promptDialogStore.set('chat')}
      />
    </>
  )
}
