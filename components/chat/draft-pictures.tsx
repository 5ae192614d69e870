import { X } from 'lucide'
import { useTranslations } from 'next-intl'
import { focusMessageBox, focusOtherItem } from '@/components/ui/focus'
import { Icon } from '@/components/ui/icon'
import { IconButton } from '@/components/ui/icon-button'
import styles from './attached.module.css'
import { StoredPicture } from './stored-picture'

interface DraftPicturesProps {
  urls: readonly string[]
  onRemove: (url: string) => void
}

/** The pictures of a draft, each with a button to remove it. */
export function DraftPictures({ urls, onRemove }: DraftPicturesProps) {
  const t = useTranslations('chat')
  const count = urls.length
  return (
    <ul className={styles.pictures}>
      {urls.map((url, index) => {
        // Screen reader users tell the pictures apart by their position.
        const name = count > 1 ? t('pictureOf', { number: index + 1, count }) : null
        return (
          <li key={url} className={styles.picture}>
            <StoredPicture url={url} alt={name ?? t('attachedPicture')} />
            <IconButton
              size="small"
              label={name ? t('removeNamed', { name }) : t('removePicture')}
              icon={<Icon icon={X} size={16} />}
              onClick={event => {
                if (!focusOtherItem(event.currentTarget)) focusMessageBox()
                onRemove(url)
              }}
            />
          </li>
        )
      })}
    </ul>
  )
}
