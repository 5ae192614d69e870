import { useTranslations } from 'next-intl'
import styles from './attached.module.css'
import { RemoveAttached } from './remove-attached'
import { StoredPicture } from './stored-picture'
import stored from './stored-picture.module.css'
import type { FileReading } from './use-attach-files'

interface DraftPicturesProps {
  urls: readonly string[]
  readings: readonly FileReading[]
  onRemove: (url: string) => void
}

/** The pictures of a draft, each with a button to remove it. */
export function DraftPictures({ urls, readings, onRemove }: DraftPicturesProps) {
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
            <RemoveAttached
              label={name ? t('removeNamed', { name }) : t('removePicture')}
              onRemove={() => onRemove(url)}
            />
          </li>
        )
      })}
      {readings.map(({ id, name, cancel }) => (
        <li key={id} className={styles.picture} aria-busy>
          <span className={stored.waiting} />
          <RemoveAttached label={t('removeNamed', { name })} onRemove={cancel} />
        </li>
      ))}
    </ul>
  )
}
