import { X } from 'lucide'
import { useTranslations } from 'next-intl'
import { Icon } from '@/components/ui/icon'
import { IconButton } from '@/components/ui/icon-button'
import styles from './attached.module.css'
import { StoredPicture } from './stored-picture'

interface DraftPicturesProps {
  urls: readonly string[]
  onRemove: (url: string) => void
}

/** The pictures of a draft, each to be taken away again. */
export function DraftPictures({ urls, onRemove }: DraftPicturesProps) {
  const t = useTranslations('chat')
  return (
    <ul className={styles.pictures}>
      {urls.map(url => (
        <li key={url} className={styles.picture}>
          <StoredPicture url={url} alt={t('attachedPicture')} />
          <IconButton
            size="small"
            label={t('removePicture')}
            icon={<Icon icon={X} size={16} />}
            onClick={() => onRemove(url)}
          />
        </li>
      ))}
    </ul>
  )
}
