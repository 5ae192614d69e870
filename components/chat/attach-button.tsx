import { Paperclip } from 'lucide'
import { useTranslations } from 'next-intl'
import { useRef } from 'react'
import { FileInput } from '@/components/ui/file-input'
import { Icon } from '@/components/ui/icon'
import { IconButton } from '@/components/ui/icon-button'

/**
 * The file types that dialogs offer first, whatever the model; the composer says which models accept pictures. What is
 * accepted depends on the content. Source code has too many extensions to list.
 */
const FILES =
  'image/png,image/jpeg,image/webp,image/gif,application/pdf,.pdf,text/*,application/json,application/xml,.md,.csv,.tsv,.json,.jsonl,.xml,.yaml,.yml,.toml,.log,.tex,.sql,.ts,.tsx,.js,.jsx,.py,.rb,.go,.rs,.java,.c,.h,.cpp,.cs,.php,.sh,.ini,.conf,.svg,.srt,.vtt'

interface AttachButtonProps {
  onFiles: (files: readonly File[]) => void
}

export function AttachButton({ onFiles }: AttachButtonProps) {
  const t = useTranslations('chat')
  const inputRef = useRef<HTMLInputElement>(null)
  return (
    <>
      <IconButton
        size="small"
        label={t('attachFile')}
        icon={<Icon icon={Paperclip} size={18} />}
        onClick={() => inputRef.current?.click()}
      />
      <FileInput ref={inputRef} accept={FILES} multiple onFiles={onFiles} />
    </>
  )
}
