import { ImageOff } from 'lucide'
import { useTranslations } from 'next-intl'
import { useCallback, useMemo } from 'react'
import { Icon } from '@/components/ui/icon'
import { useResolved } from '@/components/ui/use-resolved'
import { pictureSizeOf, resolvePicture } from '@/lib/local/images/pictures'
import { AnswerImage } from './markdown/answer-image'
import { readRemoteImage } from './markdown/link-target'
import styles from './stored-picture.module.css'
import { placeOf, ViewablePicture } from './viewable-picture'

/**
 * A picture of a message, from the image store. A picture on the web is loaded on a click, as in answers; a missing one
 * says so.
 */
export function StoredPicture({ url, alt }: { url: string; alt: string }) {
  const t = useTranslations('chat')
  const source = useResolved(
    useCallback(() => resolvePicture(url), [url]),
    undefined,
  )
  const size = useMemo(() => pictureSizeOf(url), [url])
  if (source === undefined) return <span className={styles.waiting} style={placeOf(size)} />
  if (source === null) {
    if (readRemoteImage(url)) return <AnswerImage href={url} alt={alt} />
    return (
      <span className={styles.gone}>
        <Icon icon={ImageOff} size={16} />
        {t('pictureGone')}
      </span>
    )
  }
  return <ViewablePicture src={source} alt={alt} size={size} />
}
