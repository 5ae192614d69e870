import { ImageOff } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { useEffect, useState } from 'react'
import { resolvePicture } from './pictures'
import styles from './stored-picture.module.css'

/** A picture of a message, out of the image store; says so when it is no longer there. */
export function StoredPicture({ url, alt }: { url: string; alt: string }) {
  const t = useTranslations('chat')
  const [source, setSource] = useState<string | null | undefined>()

  useEffect(() => {
    let isCurrent = true
    void resolvePicture(url).then(resolved => {
      if (isCurrent) setSource(resolved)
    })
    return () => {
      isCurrent = false
    }
  }, [url])

  if (source === undefined) return <span className={styles.waiting} />
  if (source === null) {
    return (
      <span className={styles.gone}>
        <ImageOff size={16} aria-hidden="true" />
        {t('pictureGone')}
      </span>
    )
  }
  return (
    <picture>
      <img className={styles.picture} src={source} alt={alt} />
    </picture>
  )
}
