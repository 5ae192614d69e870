import { ImagePlus } from 'lucide'
import { useTranslations } from 'next-intl'
import { useRef } from 'react'
import { Icon } from '@/components/ui/icon'
import { IconButton } from '@/components/ui/icon-button'

export function AttachButton({ onPictures }: { onPictures: (files: readonly File[]) => void }) {
  const t = useTranslations('chat')
  const inputRef = useRef<HTMLInputElement>(null)
  return (
    <>
      <IconButton
        size="small"
        label={t('attachPicture')}
        icon={<Icon icon={ImagePlus} size={18} />}
        onClick={() => inputRef.current?.click()}
      />
      <input
        ref={inputRef}
        type="file"
        accept="image/png,image/jpeg,image/webp,image/gif"
        multiple
        hidden
        onChange={event => {
          onPictures([...(event.target.files ?? [])])
          event.target.value = ''
        }}
      />
    </>
  )
}
